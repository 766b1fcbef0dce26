/* SPDX-License-Identifier: Zlib */
/*
 * initial: items as they are when they are new, before anything is said of them. What they refer to
 * is nothing, data indices are -1, names are empty (DDNet's game/mapitems.h).
 */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Of the extension items of groups, which belong to them by position (DDNet's
 * game/mapitems_ex_types.h). */
enum tw_ext_field { TW_EXT_VERSION, TW_EXT_ZOOM, TW_EXT_LENGTH };

/* What DDNet takes for the zoom of a group that has no such item: the larger of both parallaxes,
 * within 0 and 100 (game/mapitems_ex.cpp, GetParallaxZoomDefault). */
int32_t tw_group_default_zoom(const struct tw_item *group);

/* All give new integers, NULL for no memory. */
struct tw_ints *tw_initial_group(void);
struct tw_ints *tw_initial_ext(int32_t zoom);
struct tw_ints *tw_initial_envelope(int32_t version, int32_t channels);
/* A tile layer; kind as TW_TILES_KIND. */
struct tw_ints *tw_initial_tiles(int32_t version, int32_t kind, int32_t w, int32_t h);
/* A quads or sounds layer, or one of a type that is not known (type and detail alone). */
struct tw_ints *tw_initial_layer(int32_t type, int32_t version);

/* Kinds of tile layers that have tiles in a field of their own. */
bool tw_is_special(int32_t kind);
