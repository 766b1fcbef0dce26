/* SPDX-License-Identifier: Zlib */
/*
 * situation: where objects stand now, for references by name (layout rule 20).
 *
 * Which names objects have now is the tree's to know. It tells the map (renamed in struct
 * format_names) when objects were moved, and before files that wait are tried for the last time.
 */
#ifndef FORMATS_TEEWORLDS_NAMES_SITUATION_H
#define FORMATS_TEEWORLDS_NAMES_SITUATION_H

#include "formats/teeworlds/names/mounted.h"

/* struct format_names' renamed. */
int tw_renamed(
	struct snapshot **s, const struct placement *p, size_t n, bool last, struct error *e);

/* It is the save: what is not found now is not waited for. */
bool tw_situation_last(const struct tw_map *m);
/* The object was removed, or is new and stands nowhere. Known at the save. */
bool tw_situation_gone(const struct tw_map *m, enum tw_sort sort, uint32_t position);
/* The object that has this stem now, by a rename. -ENOENT. */
int tw_situation_exact(
	const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n, uint32_t *ret);
/* How many objects have this name now, whatever their numbers; the first `room` of them in ret. */
size_t tw_situation_named(const struct tw_map *m, enum tw_sort sort, const char *name, size_t n,
	uint32_t *ret, size_t room);

#endif
