/* SPDX-License-Identifier: Zlib */
/* When the journal of a volume is brought to disk: what was closed is there within a second. Only
 * the clock; the syncing is its caller's. */
#pragma once

#include "vfs/volume/volume.h"

/* The journal may hold something that is not on disk yet. */
void sync_want(struct volume *vol);
/* Milliseconds until it is to be synced, or -1: nothing to do, or it is under way. */
int sync_timeout(const struct volume *vol);
void sync_begin(struct volume *vol);
/* done: what was appended meanwhile is wanted anew. */
void sync_end(struct volume *vol, bool done);
