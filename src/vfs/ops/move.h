/* SPDX-License-Identifier: Zlib */
/* Renames: what ops/rename.c and ops/takeover.c share. */
#ifndef VFS_OPS_MOVE_H
#define VFS_OPS_MOVE_H

#include "vfs/tree/object.h"
#include "vfs/tree/place.h"

struct move {
	struct node *from, *n; /* the directory that it stands in, and what moves */
	struct place to;
};

/* What the call's names are now. */
int move_find(struct vfs *v, struct call *c, struct move *ret);
/*
 * Is n scratch that was an object's file, about to stand in the map again while nothing stands for
 * the object? Then it is its file again, be it edited. What was removed meanwhile is not brought
 * back so.
 */
bool move_comes_back(const struct vfs *v, const struct move *m);
/* Where the journal says that n's object goes; malloc'ed. NULL: no memory. */
char *move_log_path(const struct vfs *v, const struct move *m);
/* Where the journal has an object that no file stands for: a save since that left may have dealt
 * the numbers anew. malloc'ed; NULL: no memory. */
char *move_left_log_path(struct vfs *v, const struct object *o);
/* The same of one that was removed since a save had it elsewhere than at its old path, as a file
 * of the ending of that name; NULL: it was not. */
char *move_removed_log_path(const struct vfs *v, const struct object *o, const char *name);
/* n's object goes elsewhere; what was refused as its other form does not go along, and is no file
 * of it any more. true: c runs again after that. */
bool move_leave_second(struct vfs *v, struct call *c, const struct node *n);

/* May the object, a directory if is_dir, stand there? */
bool move_fits(const struct vfs *v, entry_id object, bool is_dir, const struct place *to);

#endif
