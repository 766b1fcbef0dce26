/* SPDX-License-Identifier: Zlib */
/*
 * version: convert items between versions (libtw2 doc/map.md). Integers that the new version adds
 * are zero, and names empty. Integers that an older version does not define stay.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Create a group of that version. v is borrowed, here and below. */
struct tw_ints *tw_group_convert(const struct tw_ints *v, int32_t version);
/* Create an envelope of that version. */
struct tw_ints *tw_envelope_convert(const struct tw_ints *v, int32_t version);
/* Create a layer of that version. v must have the integer TW_LAYER_VERSION. Tiles are not
 * converted: the caller must pack TW_TILES_DATA for version 4, and unpack it for older ones. */
struct tw_ints *tw_layer_convert(const struct tw_ints *v, int32_t version);

/* The integers that hold the name of a group, envelope or layer. */
struct tw_name_place {
	uint32_t at, n;   /* the first integer, and how many */
	uint32_t version; /* integer that holds the version */
	int32_t since;    /* first version with a name; INT32_MIN: any version, if long enough */
};

/* Find the integers of an item's name. Returns false if items of this type have no name in them. */
bool tw_name_place(const struct tw_item *it, struct tw_name_place *ret);
/* Has the item room for a name? */
bool tw_has_name(const struct tw_item *it, const struct tw_name_place *p);
/* Create a copy of an item without room for a name that has it. Raises the version if needed. */
struct tw_ints *tw_name_make_room(const struct tw_item *it, const struct tw_name_place *p);
/* Write an empty name into n integers. */
void tw_name_clear(int32_t *v, unsigned n);
