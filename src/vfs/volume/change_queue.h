/* SPDX-License-Identifier: Zlib */
#pragma once

#include "vfs/volume/volume.h"

/*
 * The change queue of a volume runs tasks that change the overlay, or build from it, one at a time
 * and in order. When a task reaches the head, the queue calls start() on the owner's thread. If
 * start() returns true, job.run follows on a worker. job.done then runs on the owner's thread; it
 * ends the task by calling change_queue_leave.
 */
struct change_task {
	struct job job; /* must be first */
	bool (*start)(struct change_task *t);
	/* Set by start: until the task ends, other threads may read the overlay. */
	bool holds_still;
	struct change_task *next;
};

/* Append a task. start() is called at once if the queue is empty. */
void change_queue_enter(struct volume *vol, struct change_task *t);
/* Insert a task behind the head, for tasks that change nothing. */
void change_queue_enter_next(struct volume *vol, struct change_task *t);
/* Does the head hold still? False if the queue is empty. */
bool change_queue_holds_still(const struct volume *vol);
/* Remove the head, and start the next task. */
void change_queue_leave(struct volume *vol);
