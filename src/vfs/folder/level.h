/* SPDX-License-Identifier: Zlib */
/* level: what is asked of the directories that are the folder's own. */
#pragma once

#include "vfs/folder/disk.h"

/* The calls of the same names as the vfs's, of a level or in it. */
void level_lookup(struct folder *f, struct level *l, struct call *c);
void level_getattr(struct folder *f, struct level *l, struct call *c);
void level_readdir(struct folder *f, struct level *l, struct call *c);
void level_mkdir(struct folder *f, struct level *l, struct call *c);
void level_rmdir(struct folder *f, struct level *l, struct call *c);
void level_fsync(struct folder *f, struct level *l, struct call *c); /* saves all maps: save.c */

/* What stat says of a map's directory, which does not open it. -ESTALE: it is not there any more.
 */
int map_attr(struct folder *f, struct map *m, struct attr *ret);
/* The map of this name, whose file that is: the one that was known, or a new one where the file is
 * another than then. NULL: no memory. */
struct map *map_look(struct folder *f, struct level *in, const char *name, const struct stat *st);
/* ... where it was found just now. */
struct attr attr_map(const struct folder *f, const struct map *m, const struct found *found);
/* Of a directory of the folder, or of a map that is not open. */
struct attr attr_found(const struct folder *f, uint64_t ino, const struct found *found);

/* Listings that nobody has asked for lately go. */
void listings_tick(struct folder *f, bool all);
