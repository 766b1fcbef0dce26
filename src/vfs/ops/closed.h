/* SPDX-License-Identifier: Zlib */
#ifndef VFS_OPS_CLOSED_H
#define VFS_OPS_CLOSED_H

#include "vfs/tree/node.h"

/* What was closed and is not judged yet (STAGE_LOGGED) is; then fn(arg). */
void closed_apply(struct vfs *v, void (*fn)(void *arg), void *arg);

#endif
