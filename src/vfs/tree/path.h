/* SPDX-License-Identifier: Zlib */
/* Paths of nodes: now, in the journal, and in the map that a save writes. */
#ifndef VFS_TREE_PATH_H
#define VFS_TREE_PATH_H

#include "vfs/tree/node.h"

/* The path below the mount's root, malloc'ed; NULL: no memory, or unlinked. */
char *node_path(const struct node *n);
/* The same, as a mount of the map that the journal applies to will show it: a save may have dealt
 * the numbers of objects anew. */
char *node_log_path(const struct node *n);
/* ... and as a mount of this finalized map will. */
char *node_path_in(const struct node *n, const struct snapshot *finalized);

/*
 * What the last save does not show, or not at this place, has no name yet in the map that the
 * journal applies to. Its number says a position in that (placements.h); written with more zeros
 * than any listing has, it cannot be taken for the path of another object there. home: it is an
 * object's old path, where a number alone is no name. What would be too long stays as it is.
 */
void node_log_new(
	const struct node *dir, const char *name, bool is_dir, bool home, char ret[NAME_MAX + 1]);
/* Gives a shown name the ending that the object's form has now. */
void node_log_ending(const char *name, char shown[NAME_MAX + 1]);
/* A copy of the path, malloc'ed; where objects have forms with the ending of the name, which says
 * which one. NULL: no memory, or no path. */
char *path_ending(const struct volume *vol, const char *path, const char *name);

#endif
