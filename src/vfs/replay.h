/* SPDX-License-Identifier: Zlib */
/* replay: when a vfs is created, restore the changes that an earlier mount did not save. */
#pragma once

#include "vfs/tree/inode.h"

/* Replay the journal, if there is one. Operations that cannot be replayed are only noted. */
int vfs_replay(struct vfs *v, struct error *e);
