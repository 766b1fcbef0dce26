/* SPDX-License-Identifier: Zlib */
#pragma once

#include "vfs/volume/volume.h"

/*
 * The commit queue: tasks that change the tree, or build of it, one at a time, in order. start() is
 * called on the owner's thread when the task is at its head; where it says so job.run follows, on a
 * worker; then job.done, on the owner's thread, in which the task ends with change_queue_leave.
 */
struct change_task {
	struct job job; /* first */
	bool (*start)(struct change_task *t);
	/* Set by start: while it is at the head the tree holds still, and others may read it. */
	bool holds_still;
	struct change_task *next;
};

void change_queue_enter(struct volume *vol, struct change_task *t);
/* The same right behind the head: for what changes nothing. */
void change_queue_enter_next(struct volume *vol, struct change_task *t);
bool change_queue_holds_still(const struct volume *vol);
void change_queue_leave(struct volume *vol);
