/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/commit_queue.h"

#include <assert.h>

void commit_queue_enter(struct volume *vol, struct commit_task *t)
{
	struct commit_task **end = &vol->commit_queue;

	t->next = NULL;
	while (*end)
		end = &(*end)->next;
	*end = t;
	if (vol->commit_queue == t)
		t->start(t);
}

void commit_queue_leave(struct volume *vol)
{
	assert(vol->commit_queue);
	vol->commit_queue = vol->commit_queue->next;
	if (vol->commit_queue)
		vol->commit_queue->start(vol->commit_queue);
}
