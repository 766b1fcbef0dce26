/* SPDX-License-Identifier: Zlib */
#pragma once

#include "vfs/volume/volume.h"

/* The change queue of a volume runs tasks that change the overlay, or build from it, one at a time
 * and in order. When a task reaches the head, the queue calls start() on the owner's thread. If
 * start() returns true, job.run follows on a worker thread, and then job.done on the owner's
 * thread. If it returns false, job.done follows at once. The task ends when it calls
 * change_queue_leave. */
struct change_task {
	struct job job; /* must be first */
	bool (*start)(struct change_task *t);
	/* Set by start: until the task ends, other threads may read the overlay. */
	bool holds_still;
	struct change_task *next;
};

/* Append a task. If the queue is empty, start() is called before the return, perhaps job.done, too.
 * The caller keeps the memory of t until its end. */
void change_queue_enter(struct volume *vol, struct change_task *t);
/* Insert a task that changes nothing behind the head; as change_queue_enter if there is none. */
void change_queue_enter_next(struct volume *vol, struct change_task *t);
/* Does the head hold still? False if the queue is empty. */
bool change_queue_holds_still(const struct volume *vol);
/* Remove the head, and start the next task. */
void change_queue_leave(struct volume *vol);
