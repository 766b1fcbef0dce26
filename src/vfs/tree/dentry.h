/* SPDX-License-Identifier: Zlib */
/* The overlay: names that differ from what the format says; and what stands at a name. */
#ifndef VFS_TREE_DENTRY_H
#define VFS_TREE_DENTRY_H

#include "vfs/tree/node.h"

struct dentry *dentry_find(struct vfs *v, uint64_t parent, const char *name);
/* Points the name at node (NULL: hides it); replaces what stood there. */
int dentry_set(struct vfs *v, struct node *parent, const char *name, struct node *node);
void dentry_remove(struct vfs *v, uint64_t parent, const char *name);
/* The directories that are always there, and were removed, are back. */
void names_restore(struct vfs *v);
/* What stands at parent/name: 0 and either *ret_node (kept by nothing yet) or -ENOENT. */
int names_resolve(
	struct vfs *v, struct node *parent, const char *name, struct node **ret, struct error *e);
/* The node at a path like those of node_path. */
int names_walk(struct vfs *v, const char *path, struct node **ret, struct error *e);

#endif
