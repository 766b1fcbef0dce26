/* SPDX-License-Identifier: Zlib */
/* claim: the lock of a map, and the journal that may be used only with the lock. */
#pragma once

#include "vfs/volume/volume.h"

/* Open the journal if the map is locked. An unlocked map is locked first, but only if a journal
 * exists for it; it stays unlocked if another process holds the lock. For a read-only map, only
 * note the journal. volume_load calls this. */
int claim_journal(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e);
