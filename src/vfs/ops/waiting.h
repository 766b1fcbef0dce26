/* SPDX-License-Identifier: Zlib */
/* Files that are judged with those that wait for them. */
#ifndef VFS_OPS_WAITING_H
#define VFS_OPS_WAITING_H

#include "vfs/ops/commit.h"

/* commit_own, and then what waited for n in its directory, or was refused for what n did not say.
 */
void commit_close(struct vfs *v, struct node *n, commit_done done, void *arg);

/* A call that moved or removed something is answered, after what had been refused for that was
 * judged again; and what waited for the file that it wrote, which is NULL where it wrote none. */
void waiting_answer(struct vfs *v, struct call *c, const struct node *written, int r);

/* What could not be judged yet is, before a save; then fn(arg). What still cannot be is a draft. */
void waiting_judge(struct vfs *v, void (*fn)(void *arg), void *arg);

#endif
