/* SPDX-License-Identifier: Zlib */
/* groups: the layers of a group, which are a range of the list of all layers. */
#pragma once

#include "formats/teeworlds/model/map.h"

/* The layers of a group that there are, by position. */
struct tw_group_at {
	uint32_t first, n;
};

/* The layers of the group at a position that there are, by position. Those beyond 65535, which no
 * entry's id can say, do not count. */
struct tw_group_at tw_group_layers(const struct tw_map *m, uint32_t group);
/* A layer of a group by its position among all layers: its number in the group as the auto-mapper
 * counts. */
int64_t tw_layer_in_group(const struct tw_map *m, uint32_t group, uint32_t layer);
/* The position of the group that has the layer at a position of m; -1: none has. Of several the
 * first. */
int64_t tw_group_of(const struct tw_map *m, int64_t layer);
/* Does it stand in several? Then what is removed of it in one of them is shown in the others. */
bool tw_layer_is_shared(const struct tw_map *m, int64_t layer);
