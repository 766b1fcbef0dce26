/* SPDX-License-Identifier: Zlib */
/*
 * group: the layers of a group, which are a range of the list of all layers; and the extension
 * items of groups, which belong to them by position (DDNet's game/mapitems_ex_types.h).
 */
#ifndef FORMATS_TEEWORLDS_ITEM_GROUP_H
#define FORMATS_TEEWORLDS_ITEM_GROUP_H

#include "formats/teeworlds/model/map.h"

/* The layers of a group that there are, by position. */
struct tw_group_at {
	uint32_t first, n;
};

/* The layers of the group at a position that there are, by position. Those beyond 65535, which no
 * entry's id can say, do not count. */
struct tw_group_at tw_group_layers(const struct tw_map *m, uint32_t group);
/* The position of the group that has the layer at a position of m; -1: none has. Of several the
 * first. */
int64_t tw_group_of(const struct tw_map *m, int64_t layer);
/* Does it stand in several? Then what is removed of it in one of them is shown in the others. */
bool tw_layer_is_shared(const struct tw_map *m, int64_t layer);

/* A layer of group g by its position among all layers: its number in the group as the auto-mapper
 * counts. */
int64_t tw_layer_in_group(const struct tw_map *m, uint32_t group, uint32_t layer);

enum tw_ext_field { TW_EXT_VERSION, TW_EXT_ZOOM, TW_EXT_LENGTH };

/* What DDNet takes for the zoom of a group that has no such item: the larger of both parallaxes,
 * within 0 and 100 (game/mapitems_ex.cpp, GetParallaxZoomDefault). */
int32_t tw_group_default_zoom(const struct tw_item *group);

#endif
