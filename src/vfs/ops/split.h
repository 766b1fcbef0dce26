/* SPDX-License-Identifier: Zlib */
#ifndef VFS_OPS_SPLIT_H
#define VFS_OPS_SPLIT_H

#include "vfs/tree/place.h"

/*
 * The object p->id is about to belong to another file. If its own file was renamed before, that one
 * becomes an object of its own, with the content that it has. 0; 1: c waits and runs again; -errno.
 */
bool split_needed(const struct vfs *v, const struct place *p);
/* Where the last save has the object elsewhere, the journal hears before that it returns. */
bool split_returns(const struct vfs *v, const struct place *p);
int split_off(struct vfs *v, const struct place *p, struct call *c);

#endif
