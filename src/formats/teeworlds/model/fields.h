/* SPDX-License-Identifier: Zlib */
/*
 * fields: which integers of an item mean what (libtw2 doc/map.md; DDNet's game/mapitems.h). Fields
 * that do not belong to the kind of item are garbage in many maps and are never taken for
 * references; this is the one place that knows.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

enum tw_info_field { TW_INFO_VERSION, TW_INFO_AUTHOR, TW_INFO_SETTINGS = 5, TW_INFO_LENGTH };

enum tw_image_field {
	TW_IMG_VERSION,
	TW_IMG_WIDTH,
	TW_IMG_HEIGHT,
	TW_IMG_EXTERNAL,
	TW_IMG_NAME,
	TW_IMG_DATA,
	TW_IMG_VARIANT, /* counts from version 2; 1 is RGBA */
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
	TW_LAYER_MIN, /* integers that any layer has at least */
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
	TW_TILES_MIN /* integers that a tile layer has at least */
};

/* The blob of a quads or sounds layer; 4 is the count, 6 the image or sound. */
enum tw_list_field {
	TW_LIST_COUNT = 4,
	TW_LIST_DATA,
	TW_LIST_SOURCE,
	TW_LIST_MIN,
	TW_LIST_NAME = TW_LIST_MIN, /* three integers, in later versions */
};

enum tw_group_field { TW_GROUP_START = 5, TW_GROUP_COUNT, TW_GROUP_NAME = 12 };

enum tw_envelope_field {
	TW_ENV_CHANNELS = 1,
	TW_ENV_START, /* the first of its points */
	TW_ENV_COUNT,
	TW_ENV_NAME, /* eight integers */
	TW_ENV_SYNCHRONIZED = 12,
};

/* Tiles in `data` are packed from this version on (item/tiles.h). */
enum { TW_TILES_PACKED_SINCE = 4 };

/* Envelopes of this version and later have points with tangents. */
enum { TW_ENV_TANGENTS_SINCE = 3 };

/* Of an auto-mapper item; a shorter one is none. The layer is its number in the group. */
enum tw_auto_field { TW_AUTO_GROUP = 1, TW_AUTO_LAYER, TW_AUTO_LENGTH = 6 };

enum { TW_FIELDS_MAX = 8 };

/* The integers of the item that name blobs, ascending; how many. The values may be -1 or wrong. */
unsigned tw_data_fields(const struct tw_item *it, uint32_t ret[TW_FIELDS_MAX]);

bool tw_is_tiles(const struct tw_item *it); /* a tile layer of TW_TILES_MIN integers or more */

/* A tile layer's own field: its tiles' blob. TW_TILES_DATA for kinds 0 and 1, and where the item
 * has no field of its own; -1 for kinds that are none. */
int tw_tiles_field(const struct tw_item *it);

/* How many fields name the blob, counted up to `enough`. */
unsigned tw_blob_users(const struct tw_map *m, uint32_t blob, unsigned enough);

/* Only items and layers whose fields are known are there, so data items can be numbered anew. */
bool tw_all_known(const struct tw_map *m);
