/* SPDX-License-Identifier: Zlib */
/* status: the status of all open maps of a folder. */
#pragma once

#include "vfs/folder/table.h"

/* Answer getxattr for a level, now or later. The root has user.mapfs.status and user.mapfs.status.N
 * (from record N on), of all its maps. Other names: -ENODATA; outside of user.*: -EOPNOTSUPP. */
void level_getxattr(struct folder *f, struct level *l, struct call *c);
