/* SPDX-License-Identifier: Zlib */
/*
 * view: the map as it follows from all that was closed, but for where objects stand, of formats
 * whose files show what others hold (format.has_dependent_files). It is the overlay's `view`:
 * always a map that was built of the whole tree. A change marks it as stale, and the next request
 * for a file that may follow from the change waits for a new one, but not for a save.
 */
#pragma once

#include "vfs/tree/inode.h"

/* The tree has changed: the view is to be made anew. True: it was right until now, so view_tell is
 * to follow. */
bool view_spoil(struct vfs *v);
/* Have the kernel forget all files that may show something else; then return `then` (may be NULL)
 * to the pool. */
void view_tell(struct vfs *v, struct job *then);
/* Both, without waiting for the kernel. */
void view_spoil_and_tell(struct vfs *v);
/* Is it to be made anew before n is shown, or (NULL) listed? Then c runs again after that. */
bool view_wait(struct vfs *v, const struct inode *n, struct call *c);
/* A save that is about to end: true: a view is being made beside it, of the tree that it is about
 * to change, and j->done is called after that. */
bool view_delays(struct vfs *v, struct job *j);
