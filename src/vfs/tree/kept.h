/* SPDX-License-Identifier: Zlib */
/* kept: objects whose file has a name that means nothing (OBJECT_KEPT), or was removed, when the
 * directory of their last place moves; the former also when it goes. */
#ifndef VFS_TREE_KEPT_H
#define VFS_TREE_KEPT_H

#include "vfs/tree/object.h"

/* The directory, which stood at path (log_path for the journal), moved: so did the last places
 * below it. */
void kept_moved(struct vfs *v, const struct node *dir, const char *path, const char *log_path);
/* One whose last place is in the directory; NULL: none. */
struct object *kept_in(const struct vfs *v, const struct node *dir);
/* Its last place goes, and it with that. */
void kept_gone(struct vfs *v, struct object *o);

#endif
