/* SPDX-License-Identifier: Zlib */
/* claim: the right to change a map, which is its lock, and the journal that goes with it. */
#pragma once

#include "vfs/volume/volume.h"

/* At the end of volume_load: opens the journal of a map that is locked. One that is not is locked
 * only where a journal waits for it, and stays as it is if another has it. */
int claim_journal(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e);
