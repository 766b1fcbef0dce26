/* SPDX-License-Identifier: Zlib */
/* paths: the paths of groups and layers of a map to be written, for what is told of them. */
#ifndef FORMATS_TEEWORLDS_NAMES_PATHS_H
#define FORMATS_TEEWORLDS_NAMES_PATHS_H

#include <limits.h>

#include "formats/teeworlds/names/mounted.h"

enum { TW_WHERE_MAX = 2 * NAME_MAX + 32 };

/* The layers of the group at a position that there are, by position. Those beyond 65535, which no
 * entry's id can say, do not count. */
struct tw_group_at tw_group_layers(const struct tw_map *m, uint32_t group);
/* The position of the group that has the layer at a position of m; -1: none has. Of several the
 * first. */
int64_t tw_group_of(const struct tw_map *m, int64_t layer);

/* What the mount calls the item, or "layer 3" where it shows it in no group (that number is the
 * position in m). m: a version of the mounted map, or one that was settled from it. */
void tw_where_group(const struct tw_map *m, uint32_t item, char dst[TW_WHERE_MAX]);
void tw_where_layer(const struct tw_map *m, uint32_t item, char dst[TW_WHERE_MAX]);

#endif
