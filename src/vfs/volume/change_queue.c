/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/change_queue.h"

#include <assert.h>

static void start_head(struct volume *vol)
{
	struct change_task *t = vol->change_queue;

	if (t->start(t))
		pool_submit(vol->pool, &t->job);
	else
		t->job.done(&t->job);
}

void change_queue_enter(struct volume *vol, struct change_task *t)
{
	bool first = !vol->change_queue;

	assert(volume_is_owner(vol));
	t->next = NULL;
	*(first ? &vol->change_queue : &vol->change_queue_last->next) = t;
	vol->change_queue_last = t;
	if (first)
		start_head(vol);
}

void change_queue_enter_next(struct volume *vol, struct change_task *t)
{
	struct change_task *head = vol->change_queue;

	if (!head) {
		change_queue_enter(vol, t);
		return;
	}
	t->next = head->next;
	head->next = t;
	if (vol->change_queue_last == head)
		vol->change_queue_last = t;
}

bool change_queue_holds_still(const struct volume *vol)
{
	return vol->change_queue && vol->change_queue->holds_still;
}

void change_queue_leave(struct volume *vol)
{
	assert(volume_is_owner(vol) && vol->change_queue);
	vol->change_queue = vol->change_queue->next;
	if (vol->change_queue)
		start_head(vol);
}
