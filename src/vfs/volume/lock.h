/* SPDX-License-Identifier: Zlib */
/* lock: at most one mount may write a map. */
#pragma once

#include "vfs/volume/volume.h"

/* Open the map, and lock it if the volume is VOLUME_WRITABLE. Returns a descriptor, VOLUME_LOCKED,
 * or another -errno. A lock held by a program other than mapfs is ignored, and sets
 * vol->is_lock_ignored. In the sandbox, which hides the holder (/proc), every lock counts. */
int lock_open(struct volume *vol, struct error *e);
