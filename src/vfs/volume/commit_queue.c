/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/commit_queue.h"

#include <assert.h>

static void start_head(struct volume *vol)
{
	struct commit_task *t = vol->commit_queue;

	if (t->start(t))
		pool_submit(vol->pool, &t->job);
	else
		t->job.done(&t->job);
}

void commit_queue_enter(struct volume *vol, struct commit_task *t)
{
	bool first = !vol->commit_queue;

	assert(volume_is_owner(vol));
	t->next = NULL;
	*(first ? &vol->commit_queue : &vol->commit_queue_last->next) = t;
	vol->commit_queue_last = t;
	if (first)
		start_head(vol);
}

void commit_queue_leave(struct volume *vol)
{
	assert(volume_is_owner(vol) && vol->commit_queue);
	vol->commit_queue = vol->commit_queue->next;
	if (vol->commit_queue)
		start_head(vol);
}
