/* SPDX-License-Identifier: Zlib */
/*
 * made: files and directories that were made since the mount, found by their place.
 *
 * A file that is made under one of its names (X.DAT, X.DAT.txt) is shown under the other as well,
 * as soon as it has content; the mounted tree knows of the first alone. In a directory that was
 * made itself the other name waits for a save: `cp -r` makes what it puts into a directory of its
 * own making with O_EXCL, and would fail over the second name of a file whose first it just wrote.
 */
#ifndef FORMATS_TORCHLIGHT_MADE_H
#define FORMATS_TORCHLIGHT_MADE_H

#include "formats/torchlight/map.h"

/* The newest of that name (n bytes, in any ASCII case) in dir; its index, or TL_NONE. The lock of
 * tl_shared is held for all three. */
uint32_t tl_made_find(const struct tl_made_list *l, uint32_t dir, const char *name, size_t n);
/* The next older one of the same place. */
uint32_t tl_made_older(const struct tl_made_list *l, uint32_t k);
int tl_made_append(struct tl_made_list *l, uint32_t dir, const char *name, size_t n, bool text);

/* Is the file shown under its other name? */
bool tl_made_shows_other(const struct tl_map *m, uint32_t handle, uint32_t dir);

/* The entry of which name is the other name. false: there is none. */
bool tl_made_other(const struct tl_map *m, uint32_t dir, const char *name, entry_id *ret);
/* The first other name in dir from file *k on, and *k of the next. name has room for NAME_MAX + 1.
 */
bool tl_made_list_next(
	const struct tl_map *m, uint32_t dir, uint64_t *k, char *name, entry_id *ret);

#endif
