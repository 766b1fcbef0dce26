/* SPDX-License-Identifier: Zlib */
#ifndef VFS_OPS_TAKEOVER_H
#define VFS_OPS_TAKEOVER_H

#include "vfs/ops/move.h"

/* The content of the moved file is put where it goes to, and c done. */
void move_take_over(struct vfs *v, struct call *c, const struct move *m);

#endif
