/* SPDX-License-Identifier: Zlib */
/* What is asked of all maps of a folder that are open. */
#pragma once

#include "vfs/folder/table.h"

/* The status of the folder (vfs/save/status.h): that of its maps, with their paths. */
void level_getxattr(struct folder *f, struct level *l, struct call *c);
