/* SPDX-License-Identifier: Zlib */
/*
 * group: the layers of a group by their numbers there; and the extension items of groups, which
 * belong to them by position (DDNet's game/mapitems_ex_types.h).
 */
#pragma once

#include "formats/teeworlds/model/groups.h"

/* A layer of group g by its position among all layers: its number in the group as the auto-mapper
 * counts. */
int64_t tw_layer_in_group(const struct tw_map *m, uint32_t group, uint32_t layer);

enum tw_ext_field { TW_EXT_VERSION, TW_EXT_ZOOM, TW_EXT_LENGTH };

/* What DDNet takes for the zoom of a group that has no such item: the larger of both parallaxes,
 * within 0 and 100 (game/mapitems_ex.cpp, GetParallaxZoomDefault). */
int32_t tw_group_default_zoom(const struct tw_item *group);
