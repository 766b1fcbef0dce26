/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/sync.h"

#include "base/threads/clock.h"
#include "vfs/journal/journal.h"

enum { DELAY_MS = 900 };

void sync_request(struct volume *vol)
{
	if (!vol->sync.at_ms && journal_unsynced(&vol->journal))
		vol->sync.at_ms = clock_ms() + DELAY_MS;
}

int sync_timeout(const struct volume *vol)
{
	int64_t left = vol->sync.at_ms - clock_ms();

	if (!vol->sync.at_ms || vol->sync.under_way)
		return -1;
	return left > 0 ? (int)left : 0;
}

void sync_begin(struct volume *vol)
{
	vol->sync.under_way = true;
	vol->sync.at_ms = 0;
}

void sync_end(struct volume *vol, bool done)
{
	vol->sync.under_way = false;
	if (done)
		sync_request(vol);
}
