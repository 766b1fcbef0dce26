/* SPDX-License-Identifier: Zlib */
/* initial: the integers of new items. References are -1, names are empty, and other integers have
 * the defaults of DDNet (game/mapitems.h). The caller owns the integers (tw_ints_unref); they are
 * NULL if memory is exhausted. */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Integers of TW_GROUP_EXT items, and their number (DDNet's game/mapitems_ex_types.h). */
enum tw_ext_field { TW_EXT_VERSION, TW_EXT_ZOOM, TW_EXT_LENGTH };

/* Zoom of a group without a TW_GROUP_EXT item: the larger parallax, limited to 0 to 100 (DDNet's
 * game/mapitems_ex.cpp, GetParallaxZoomDefault). */
int32_t tw_group_default_zoom(const struct tw_item *group);

struct tw_ints *tw_initial_group(void);
struct tw_ints *tw_initial_ext(int32_t zoom);
struct tw_ints *tw_initial_envelope(int32_t version, int32_t channels); /* without points */
/* Create a tile layer; kind as in TW_TILES_KIND. */
struct tw_ints *tw_initial_tiles(int32_t version, int32_t kind, int32_t w, int32_t h);
/* Create a quads or sounds layer, without elements. Another type gets only type and detail. */
struct tw_ints *tw_initial_layer(int32_t type, int32_t version);

/* Is it a kind of physics layer that has its own field for tiles (tele, speedup, front, ...)? */
bool tw_is_special(int32_t kind);
