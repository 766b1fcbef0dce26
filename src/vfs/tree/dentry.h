/* SPDX-License-Identifier: Zlib */
/* The overlay: names that differ from what the format says; and what stands at a name. */
#ifndef VFS_TREE_DENTRY_H
#define VFS_TREE_DENTRY_H

#include "vfs/tree/node.h"

/* A name that differs from what the format says: it points to a node, or hides an entry. */
struct dentry {
	struct hash_link link; /* by parent and name; first */
	struct overlay *in;
	struct dentry *prev, *next; /* of the same directory, in the order of cookie */
	uint64_t parent;
	uint64_t cookie;   /* its place in readdir: later ones are larger */
	struct node *node; /* NULL: there is nothing here (any more) */
	bool standing;     /* ... but something that is back when it is made again, or saved */
	char name[];
};

/* Are the names one to the format, which may not tell capitals? */
bool names_equal(const struct vfs *v, const char *a, const char *b);
struct dentry *dentry_find(struct vfs *v, uint64_t parent, const char *name);
/* Points the name at node (NULL: hides it); replaces what stood there. */
int dentry_set(struct vfs *v, struct node *parent, const char *name, struct node *node);
void dentry_remove(struct vfs *v, uint64_t parent, const char *name);
/* The first one of the directory with a larger cookie than after (0: all have), or NULL. */
struct dentry *dentry_after(struct vfs *v, uint64_t dir, uint64_t after);
/* How many of the directory's point to a node. */
size_t dentry_count(const struct vfs *v, uint64_t dir);
void dentries_finish(struct vfs *v);
/* What is always there, and was removed, is back. */
void names_restore(struct vfs *v);
/* What stands at parent/name: 0 and either *ret_node (kept by nothing yet) or -ENOENT. */
int names_resolve(
	struct vfs *v, struct node *parent, const char *name, struct node **ret, struct error *e);
/* The node at a path like those of node_path. */
int names_walk(struct vfs *v, const char *path, struct node **ret, struct error *e);

#endif
