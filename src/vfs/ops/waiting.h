/* SPDX-License-Identifier: Zlib */
/* Files that are judged with those that wait for them. */
#ifndef VFS_OPS_WAITING_H
#define VFS_OPS_WAITING_H

#include "vfs/ops/commit.h"

/* commit_own, and then what waited for n in its directory. */
void commit_close(struct vfs *v, struct node *n, commit_done done, void *arg);

/* What could not be judged yet is, before a save; then fn(arg). What still cannot be is a draft. */
void waiting_judge(struct vfs *v, void (*fn)(void *arg), void *arg);

#endif
