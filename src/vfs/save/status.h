/* SPDX-License-Identifier: Zlib */
/*
 * status: what the mount holds that the map does not, a line each, ended by a newline: what is
 * "changed", "new", "moved", "removed" or "kept" (moved to a scratch name), and after its path and
 * a colon why a file is a "draft", is "waiting" for others, or would be "left".
 * A newline in a path is shown as "?".
 */
#ifndef VFS_SAVE_STATUS_H
#define VFS_SAVE_STATUS_H

#include "base/buffer.h"
#include "vfs/tree/node.h"

/* On the owner's thread; found() is called there too, later, and finishes the text. -ENOMEM: it
 * will not be. */
int status_find(struct vfs *v, void (*found)(void *arg, struct buffer *text), void *arg);

#endif
