/* SPDX-License-Identifier: Zlib */
/* status: the status of all open maps of a folder. */
#pragma once

#include "vfs/folder/table.h"

/* Answer a getxattr for the status attributes (vfs/save/status.h) of the folder's root: the records
 * of all maps, with their paths. */
void level_getxattr(struct folder *f, struct level *l, struct call *c);
