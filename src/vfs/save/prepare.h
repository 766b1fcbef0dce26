/* SPDX-License-Identifier: Zlib */
#ifndef VFS_SAVE_PREPARE_H
#define VFS_SAVE_PREPARE_H

#include "vfs/tree/node.h"

/* What was closed or waits for other files is judged, and what is always there made again, before a
 * save; then fn(arg). */
void save_prepare(struct vfs *v, void (*fn)(void *arg), void *arg);

#endif
