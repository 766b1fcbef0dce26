/* SPDX-License-Identifier: Zlib */
/*
 * name_map: what references in files of one mount mean to another.
 *
 * A save deals the numbers of objects anew, and a mount goes on with those that it began with. What
 * it writes to the journal after that is read by a mount of the saved map, to which the same name
 * or number may be another object's. The name map (struct format's name_map and read_name_map) says
 * for every object of which that is so what the writing mount called it, and where it is in the
 * saved map.
 */
#ifndef FORMATS_TEEWORLDS_NAMES_NAME_MAP_H
#define FORMATS_TEEWORLDS_NAMES_NAME_MAP_H

#include "formats/teeworlds/names/sort.h"

/* struct format's name_map (name_map_write.c) and read_name_map. */
int tw_name_map_write(const struct snapshot *s, const struct snapshot *finalized,
	struct bytes **ret, struct error *e);
int tw_name_map_read(struct snapshot **s, const struct bytes *text, struct error *e);

/* What a stem means, or a number: a position, -1 for what left the map. false: the name map has no
 * such. */
bool tw_name_map_stem(
	const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n, int64_t *ret);
bool tw_name_map_number(const struct tw_map *m, enum tw_sort sort, int32_t number, int64_t *ret);
/* Is the object at this position one that the writing mount called otherwise? */
bool tw_name_map_has(const struct tw_map *m, enum tw_sort sort, uint32_t position);

#endif
