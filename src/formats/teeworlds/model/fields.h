/* SPDX-License-Identifier: Zlib */
/* fields: the meaning of the integers of items (libtw2 doc/map.md; DDNet's game/mapitems.h). The
 * enums hold indices of integers. In many maps an integer that has no meaning for the kind of item
 * holds garbage, so it must not be taken for a reference. */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Between author and settings: version of the map, credits, license. */
enum tw_info_field { TW_INFO_VERSION, TW_INFO_AUTHOR, TW_INFO_SETTINGS = 5, TW_INFO_LENGTH };

enum tw_image_field {
	TW_IMG_VERSION,
	TW_IMG_WIDTH,
	TW_IMG_HEIGHT,
	TW_IMG_EXTERNAL,
	TW_IMG_NAME,
	TW_IMG_DATA,
	TW_IMG_VARIANT, /* from version 2 on; 1 is RGBA */
};

enum tw_sound_field { TW_SND_VERSION, TW_SND_EXTERNAL, TW_SND_NAME, TW_SND_DATA, TW_SND_SIZE };

enum tw_layer_type {
	TW_LAYER_TILES = 2,
	TW_LAYER_QUADS = 3,
	TW_LAYER_OLD_SOUNDS = 9,
	TW_LAYER_SOUNDS = 10
};

enum tw_layer_field {
	TW_LAYER_TYPE = 1,
	TW_LAYER_DETAIL,
	TW_LAYER_MIN, /* minimum number of integers of a layer: it may lack a version */
	TW_LAYER_VERSION = TW_LAYER_MIN,
};

enum tw_tiles_field {
	TW_TILES_WIDTH = 4,
	TW_TILES_HEIGHT,
	TW_TILES_KIND,  /* 0 design, 1 game, 2 tele, 4 speedup, 8 front, 16 switch, 32 tune */
	TW_TILES_COLOR, /* four integers */
	TW_TILES_ENVELOPE = 11,
	TW_TILES_ENVELOPE_OFFSET,
	TW_TILES_IMAGE,
	TW_TILES_DATA,
	TW_TILES_MIN /* minimum number of integers of a tile layer */
};

/* Integers of a quads or sounds layer; the source is an image or a sound. */
enum tw_list_field {
	TW_LIST_COUNT = 4, /* number of quads or sound sources */
	TW_LIST_DATA,
	TW_LIST_SOURCE,
	TW_LIST_MIN,                /* minimum number of integers of such a layer */
	TW_LIST_NAME = TW_LIST_MIN, /* three integers, in later versions */
};

enum tw_group_field {
	TW_GROUP_OFFSET = 1,   /* two integers */
	TW_GROUP_PARALLAX = 3, /* two integers */
	TW_GROUP_START = 5,
	TW_GROUP_COUNT,
	TW_GROUP_CLIPPING,
	TW_GROUP_CLIP, /* four integers */
	TW_GROUP_NAME = 12,
};

enum tw_envelope_field {
	TW_ENV_CHANNELS = 1,
	TW_ENV_START, /* index of its first point */
	TW_ENV_COUNT,
	TW_ENV_NAME, /* eight integers */
	TW_ENV_SYNCHRONIZED = 12,
};

/* Value of TW_LAYER_VERSION from which on tiles in TW_TILES_DATA are packed (item/tiles.h). */
enum { TW_TILES_PACKED_SINCE = 4 };

/* Version of an envelope (its first integer) from which on points have tangents. */
enum { TW_ENV_TANGENTS_SINCE = 3 };

/* Integers of an auto-mapper item: the position of a group, and the layer's number in the group. An
 * item of less than TW_AUTO_LENGTH integers is ignored. */
enum tw_auto_field { TW_AUTO_GROUP = 1, TW_AUTO_LAYER, TW_AUTO_LENGTH = 6 };

enum { TW_FIELDS_MAX = 8 };

/* List the fields of an item that refer to blobs, ascending. Returns their count. All are within
 * the item, but their values may be no handles of blobs. */
unsigned tw_data_fields(const struct tw_item *it, uint32_t ret[TW_FIELDS_MAX]);

bool tw_is_tiles(const struct tw_item *it);   /* a tile layer of TW_TILES_MIN integers or more */
bool tw_is_physics(const struct tw_item *it); /* a tile layer that is not only drawn */

/* The field of a tile layer (tw_is_tiles) that refers to its tiles. A physics layer has one for its
 * kind; for kinds 0 and 1, or if the item is too short, it is TW_TILES_DATA. -1: unknown kind. */
int tw_tiles_field(const struct tw_item *it);

/* Number of fields that refer to a blob's handle. It may stop at `enough`; UINT_MAX counts all. */
unsigned tw_blob_users(const struct tw_map *m, uint32_t blob, unsigned enough);

/* Are all items and layers of known kinds? Only then may the save renumber data items. */
bool tw_all_known(const struct tw_map *m);
