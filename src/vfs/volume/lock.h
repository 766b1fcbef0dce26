/* SPDX-License-Identifier: Zlib */
/* lock: a map is mounted for writing once. */
#pragma once

#include "vfs/volume/volume.h"

/* Opens the map, and unless it is to be read only locks it against a second such mount; a
 * descriptor, or VOLUME_LOCKED, or another -errno. A lock that no mapfs holds is passed over, and
 * vol->passed_over says so. Outside the sandbox: who holds it is found out in /proc. */
int lock_open(struct volume *vol, struct error *e);
