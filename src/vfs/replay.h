/* SPDX-License-Identifier: Zlib */
#pragma once

#include "vfs/tree/inode.h"

/* What an earlier mount closed and did not save comes back from the journal. */
int vfs_replay(struct vfs *v, struct error *e);
