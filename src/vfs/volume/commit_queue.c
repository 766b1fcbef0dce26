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

void commit_queue_enter_next(struct volume *vol, struct commit_task *t)
{
	struct commit_task *head = vol->commit_queue;

	if (!head) {
		commit_queue_enter(vol, t);
		return;
	}
	t->next = head->next;
	head->next = t;
	if (vol->commit_queue_last == head)
		vol->commit_queue_last = t;
}

bool commit_queue_holds_still(const struct volume *vol)
{
	return vol->commit_queue && vol->commit_queue->holds_still;
}

void commit_queue_leave(struct volume *vol)
{
	assert(volume_is_owner(vol) && vol->commit_queue);
	vol->commit_queue = vol->commit_queue->next;
	if (vol->commit_queue)
		start_head(vol);
}
