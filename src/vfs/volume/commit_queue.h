/* SPDX-License-Identifier: Zlib */
#ifndef VFS_VOLUME_COMMIT_QUEUE_H
#define VFS_VOLUME_COMMIT_QUEUE_H

#include "vfs/volume/volume.h"

/*
 * The lane: tasks that commit to the model or save it, one at a time, in order. start() is called
 * on the owner's thread when the task has the lane; the task ends with lane_leave.
 */
struct lane_task {
	void (*start)(struct lane_task *t);
	struct lane_task *next;
};

void lane_enter(struct volume *vol, struct lane_task *t);
void lane_leave(struct volume *vol);

#endif
