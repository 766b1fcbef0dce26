/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/commit_queue.h"

void lane_enter(struct volume *vol, struct lane_task *t)
{
	struct lane_task **end = &vol->lane;

	t->next = NULL;
	while (*end)
		end = &(*end)->next;
	*end = t;
	if (vol->lane == t)
		t->start(t);
}

void lane_leave(struct volume *vol)
{
	vol->lane = vol->lane->next;
	if (vol->lane)
		vol->lane->start(vol->lane);
}
