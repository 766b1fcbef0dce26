/* SPDX-License-Identifier: Zlib */
/* layer: the data of layers, and which files show it. Items and sizes of blobs decide that; no data
 * is decoded. Unless a comment says otherwise, `it` may be a layer of any type. */
#pragma once

#include "formats/teeworlds/model/map.h"

enum tw_plane {
	TW_PLANE_ID,
	TW_PLANE_FLAGS,
	TW_PLANE_NUMBER,
	TW_PLANE_FORCE,
	TW_PLANE_MAX_SPEED,
	TW_PLANE_ANGLE,
	TW_PLANE_DELAY,
	TW_N_PLANES,
};

/* How the data of a layer is laid out. This decides which files are shown beside layer.json. */
enum tw_form {
	TW_FORM_NONE,
	TW_FORM_TILES,       /* 4 bytes: id, flags, skip, reserved */
	TW_FORM_PAIR,        /* 2 bytes: number, id; tele, tune, the oldest switch */
	TW_FORM_SWITCH,      /* 4 bytes: number, id, flags, delay */
	TW_FORM_SWITCH3,     /* 3 bytes: number, id, flags */
	TW_FORM_SPEEDUP,     /* 6 bytes: force, max_speed, id, padding, angle (16 bits) */
	TW_FORM_OLD_SPEEDUP, /* 4 bytes: force, padding, angle (16 bits) */
	TW_FORM_QUADS,
	TW_FORM_SOURCES,
	TW_FORM_OLD_SOURCES,
	TW_N_FORMS,
};

enum { TW_TILE_MAX = 6 /* bytes of the largest tile */, TW_KIND_GAME = 1 /* TW_TILES_KIND */ };

/* The location of a plane's value within a tile. */
struct tw_plane_at {
	enum tw_plane plane;
	uint8_t offset; /* byte offset */
	bool is_wide;   /* 16 bits, signed, little-endian; otherwise one unsigned byte */
};

/* Range of a plane's values. */
static inline int32_t tw_plane_min(const struct tw_plane_at *at)
{
	return at->is_wide ? INT16_MIN : 0;
}

static inline int32_t tw_plane_max(const struct tw_plane_at *at)
{
	return at->is_wide ? INT16_MAX : UINT8_MAX;
}

struct tw_tile_form {
	uint8_t size;         /* bytes of a tile */
	uint8_t unused_bytes; /* bit mask of the bytes that must be 0 if tiles are not packed */
	uint8_t n;            /* number of planes */
	struct tw_plane_at planes[4];
};

/* Form of the tiles of a new layer of a kind (TW_TILES_KIND). TW_FORM_TILES for unknown kinds. */
enum tw_form tw_kind_form(int32_t kind);
/* The layout of a form's tiles; NULL if the form is not for tiles. */
const struct tw_tile_form *tw_tile_form(enum tw_form form);
/* Location of a plane in a form; NULL if the form does not have it. */
const struct tw_plane_at *tw_plane_in(enum tw_form form, enum tw_plane plane);
/* Location of a plane in the first form that has it. Its range is the same in all forms. */
const struct tw_plane_at *tw_plane_usual(enum tw_plane plane);
extern const char *const tw_plane_names[TW_N_PLANES];

/* Form of a layer's data. TW_FORM_NONE if the layer shows no data: its type is unknown, its item is
 * too short, or it has no blob that is large enough. */
enum tw_form tw_layer_form(const struct tw_map *m, const struct tw_item *it);
/* Returns -EIO with the reason if a tile, quads or sounds layer shows no data; otherwise 0. */
int tw_layer_check(const struct tw_map *m, const struct tw_item *it, struct error *e);

/* The tiles of a tile layer. */
struct tw_tiles {
	struct blob *blob; /* borrowed */
	uint32_t field;    /* integer of the item that refers to it */
	enum tw_form form;
	uint32_t w, h;
	uint8_t size; /* bytes of a decoded tile */
	bool packed;  /* runs of equal tiles are stored as one (version 4) */
};

/* Get the tiles that a layer shows as planes. Returns false if it shows none. */
bool tw_get_tiles(const struct tw_map *m, const struct tw_item *it, struct tw_tiles *ret);
bool tw_is_game(const struct tw_item *it); /* a tile layer of kind TW_KIND_GAME */
/* Find the last game layer; NULL if there is none. A game uses the last one that is in a group. */
const struct tw_item *tw_game_layer(const struct tw_map *m);
/* Get the tiles in TW_TILES_DATA of a physics layer whose own field has others; no game uses them.
 * The blob may hold fewer than w * h tiles. Returns false if there are none. */
bool tw_get_unused_tiles(const struct tw_map *m, const struct tw_item *it, struct tw_tiles *ret);
