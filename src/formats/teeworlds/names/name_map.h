/* SPDX-License-Identifier: Zlib */
/*
 * name_map: what references in files of one mount mean to another.
 *
 * A save deals the numbers of objects anew, and a mount goes on with those that it began with. What
 * it writes to the journal after that is read by a mount of the saved map, to which the same name
 * or number may be another object's. The legend (name_map and read_name_map in struct format_names)
 * says for every object of which that is so what the writing mount called it, and where it is in
 * the saved map.
 */
#ifndef FORMATS_TEEWORLDS_NAMES_NAME_MAP_H
#define FORMATS_TEEWORLDS_NAMES_NAME_MAP_H

#include "formats/teeworlds/names/mounted.h"

struct tw_legend;

/* struct format_names' name_map and read_name_map. */
int tw_legend_write(const struct snapshot *s, const struct snapshot *settled, struct bytes **ret,
	struct error *e);
int tw_legend_read(struct snapshot **s, const struct bytes *text, struct error *e);

struct tw_legend *tw_legend_ref(struct tw_legend *l);
void tw_legend_unref(struct tw_legend *l);

/* What a stem means. 0: *ret, which is -1 for what left the map; -ENOENT: the legend has no such.
 */
int tw_legend_stem(
	const struct tw_map *m, enum tw_named what, const char *stem, size_t n, int32_t *ret);
/* What a number means. */
int32_t tw_legend_number(const struct tw_map *m, enum tw_named what, int32_t number);
/* Is the object at this position one that the writing mount called otherwise? */
bool tw_legend_has(const struct tw_map *m, enum tw_named what, uint32_t position);

#endif
