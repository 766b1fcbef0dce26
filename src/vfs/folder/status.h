/* SPDX-License-Identifier: Zlib */
/* status: the status of all open maps of a folder. */
#pragma once

#include "vfs/folder/table.h"

/* Answer getxattr for a level. The root has the status (save/status.h) of all its maps. */
void level_getxattr(struct folder *f, struct level *l, struct call *c);
