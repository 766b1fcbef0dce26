/* SPDX-License-Identifier: Zlib */
/* What a name would be, and making, taking and hiding it: for ops/make.c, ops/remove.c and
 * ops/move.c. */
#ifndef VFS_TREE_PLACE_H
#define VFS_TREE_PLACE_H

#include "vfs/tree/node.h"

enum place_kind {
	PLACE_SCRATCH,
	PLACE_ID,  /* it is the identity of `id`, which stands there or did at the mount */
	PLACE_NEW, /* it would be a new object or part of a live directory */
};

struct place {
	struct node *dir;
	const char *name;
	struct node *target; /* what stands there now, or NULL; settle it when done */
	bool is_dir;
	enum place_kind kind;
	entry_id id;
	bool left; /* ... no more than the last place of an object that no file stands for */
};

/* dir: a directory of a writable map. Refusals of the name (-EPERM, -EINVAL ...) are returned. */
int place_find(struct vfs *v, struct node *dir, const char *name, bool is_dir, struct place *ret);

/* The directory of number ino, for names to be made or taken in. */
int place_dir(struct vfs *v, uint64_t ino, const char *name, struct node **ret);

/* The path of a place, and the one for the journal (see node_log_path); malloc'ed. NULL: no memory,
 * or the directory is unlinked. */
char *place_path(const struct place *p);
char *place_log_path(const struct place *p);
/* ... where it is that of an object which was not there at the last save. */
char *place_new_path(const struct place *p);

/* Is p the old path of an object that the last save has elsewhere, and that stands not there? For
 * the journal it has to be moved there. */
bool place_of_return(const struct place *p);

/* n stands at dir/name from now on; its old name, if it has one, goes. */
int place_node(struct vfs *v, struct node *n, struct node *dir, const char *name);
/* n is about to go, or to be called otherwise, by a request for `name`, of which the kernel knows
 * itself. Where that is n's name in another case of letters, the kernel is told of n's own. */
void place_forget_alias(struct vfs *v, struct node *n, const char *name);
/* n, which stood somewhere, stands nowhere; who has it open goes on seeing what it was. */
void place_detach(struct vfs *v, struct node *n);

/* Has the directory anything in it that is shown? */
bool place_empty(struct vfs *v, struct node *dir);

#endif
