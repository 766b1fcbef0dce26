/* SPDX-License-Identifier: Zlib */
/* level: calls for the real directories of a folder. */
#pragma once

#include "vfs/folder/disk.h"

/* Answer the call of this name, for a level or a name in it, before the return. level_fsync may
 * answer later. level_rmdir removes only a map of level_mkdir into which nothing was saved. -EPERM:
 * any other map. -ENOTEMPTY: it has changes. -EBUSY: it is in use. */
void level_lookup(struct folder *f, struct level *l, struct call *c);
void level_getattr(struct folder *f, struct level *l, struct call *c);
void level_readdir(struct folder *f, struct level *l, struct call *c);
void level_mkdir(struct folder *f, struct level *l, struct call *c); /* creates an empty map */
void level_rmdir(struct folder *f, struct level *l, struct call *c);
void level_fsync(struct folder *f, struct level *l, struct call *c); /* saves the whole folder */

/* Attributes of a map's directory, without opening the map. -ESTALE: its file was removed, or
 * replaced and the map is not open. A removed map with unsaved changes still has some. */
int map_attr(struct folder *f, struct map *m, struct stat *ret);
/* Return the map of this name, whose file has the attributes st: the known one, or a new one if the
 * file has changed and the known one has no unsaved changes. Borrowed: map_replace may free it,
 * unless map.lookups counts it. NULL if memory or indexes are exhausted. */
struct map *map_look(struct folder *f, struct level *in, const char *name, const struct stat *st);
/* Attributes of a map's directory, given the result of disk_find or disk_look for it. */
struct stat attr_map(const struct folder *f, const struct map *m, const struct found *found);
/* Attributes of a level, or of the directory of a map that is not open. */
struct stat attr_found(const struct folder *f, uint64_t ino, const struct found *found);

/* Free the listings that were read more than 2 s ago, or all. */
void listings_tick(struct folder *f, bool all);
