/* SPDX-License-Identifier: Zlib */
/* groups: the layers of a group are a range in the list of all layers. */
#pragma once

#include "formats/teeworlds/model/map.h"

struct tw_layer_range {
	uint32_t first, n;
};

/* Positions of the layers of a group; the group must exist. Excludes layers that the map does not
 * have, and positions above 65535, which no entry_id can hold. */
struct tw_layer_range tw_group_layers(const struct tw_map *m, uint32_t group);
/* Number of a layer in a group, as auto-mapper items count it. layer: its position. The number of a
 * layer outside the group is negative or too large. -1, too, if there is no such group. */
int64_t tw_layer_in_group(const struct tw_map *m, uint32_t group, uint32_t layer);
/* Position of the first group that contains the layer at a position; -1 if none does. */
int64_t tw_find_group(const struct tw_map *m, int64_t layer);
/* Is the layer in more than one group? Then a removed table or list of it stays in the map. */
bool tw_layer_is_shared(const struct tw_map *m, int64_t layer);
