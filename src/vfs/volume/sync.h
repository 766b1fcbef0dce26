/* SPDX-License-Identifier: Zlib */
/* sync: when to sync the journal of a volume, so that closed files are on disk within a second.
 * This is only the timer; the caller syncs. */
#pragma once

#include "vfs/volume/volume.h"

/* Start the timer if the journal has unsynced records. */
void sync_request(struct volume *vol);
/* Milliseconds until the sync is due, or -1 if none is needed or one is running. */
int sync_timeout(const struct volume *vol);
/* Stop the timer: a sync begins. */
void sync_begin(struct volume *vol);
/* A sync ended. done: it succeeded; records appended meanwhile start the timer again. After a
 * failed sync only sync_request does. */
void sync_end(struct volume *vol, bool done);
