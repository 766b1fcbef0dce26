/* SPDX-License-Identifier: Zlib */
/* version: convert items between versions (libtw2 doc/map.md). Integers that the new version adds
 * are zero, and names empty. Integers that an older version does not define stay, except the name
 * of a tile layer. The caller owns a copy (tw_ints_unref); it is NULL if memory is exhausted. */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Copy the integers of a group, converted to a version. v has at least one, here and below. */
struct tw_ints *tw_group_convert(const struct tw_ints *v, int32_t version);
/* Copy the integers of an envelope, converted to a version. */
struct tw_ints *tw_envelope_convert(const struct tw_ints *v, int32_t version);
/* Copy the integers of a layer of any type, converted to a version, which is the integer
 * TW_LAYER_VERSION; v must have it. The caller converts the tiles: TW_TILES_DATA is packed in
 * version 4, and not in older ones. */
struct tw_ints *tw_layer_convert(const struct tw_ints *v, int32_t version);

/* The integers that hold the name of a group, envelope or layer. */
struct tw_name_place {
	uint32_t at, n;   /* the first integer, and how many */
	uint32_t version; /* integer that holds the version */
	int32_t since;    /* first version with a name; INT32_MIN: any version, if long enough */
};

/* Find where an item has its name, or would have it. False if items of this type have none in their
 * integers, or the layer is too short to get one. */
bool tw_name_place(const struct tw_item *it, struct tw_name_place *ret);
/* Has the item the integers of the name, and a version with a name? The name may be empty. */
bool tw_has_name(const struct tw_item *it, const struct tw_name_place *p);
/* For an item without a name: copy its integers, with room for one. May raise the version. A tile
 * layer of version 3 or more that is too short is copied as it is. */
struct tw_ints *tw_name_make_room(const struct tw_item *it, const struct tw_name_place *p);
/* Write an empty name into n integers. */
void tw_name_clear(int32_t *v, unsigned n);
