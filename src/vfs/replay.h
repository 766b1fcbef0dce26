/* SPDX-License-Identifier: Zlib */
#ifndef VFS_REPLAY_H
#define VFS_REPLAY_H

#include "vfs/tree/node.h"

/* What an earlier mount closed and did not save comes back from the journal. */
int vfs_replay(struct vfs *v, struct error *e);

#endif
