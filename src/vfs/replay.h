/* SPDX-License-Identifier: Zlib */
#pragma once

#include "vfs/tree/inode.h"

/* Restore, from the journal, the changes that an earlier mount did not save. */
int vfs_replay(struct vfs *v, struct error *e);
