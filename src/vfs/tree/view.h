/* SPDX-License-Identifier: Zlib */
/* view: rebuild overlay.view in formats whose files depend on others (format.has_dependent_files).
 * The view is a map built from the whole overlay; objects keep their places and names of the base.
 * A change marks it as stale. The next request for a file that may depend on the change waits for a
 * new view, but not for a save. */
#pragma once

#include "vfs/tree/inode.h"

/* Mark the view as stale after a change. Returns true if it was not, and the format has dependent
 * files; the caller then calls view_invalidate. */
bool view_mark_stale(struct vfs *v);
/* Invalidate all files, and names, in the kernel's cache that may differ now. After that, and after
 * the return, the owner's thread calls then->done (then may be NULL). */
void view_invalidate(struct vfs *v, struct job *then);
/* Mark the view as stale and invalidate the files, without waiting for the kernel. */
void view_mark_and_invalidate(struct vfs *v);
/* If n (NULL: a listing) needs a new view, have it built, run c after that, and return true. If the
 * build fails, c runs with the old view. If memory is exhausted, c may run before the return, and
 * free n. */
bool view_wait(struct vfs *v, const struct inode *n, struct call *c);
/* Called by a save before it changes the overlay. If a view is being built from the overlay, return
 * true and call j->done once it is finished. */
bool view_delays_save(struct vfs *v, struct job *j);
