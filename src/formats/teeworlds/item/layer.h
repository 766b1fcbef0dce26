/* SPDX-License-Identifier: Zlib */
/*
 * layer: what files a layer is shown as, which follows from the map's tables alone (layout rules
 * 12, 13, 18).
 */
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

/* What stands beside layer.json. */
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

enum { TW_TILE_MAX = 6 /* bytes */, TW_KIND_GAME = 1 };

/* Where in a tile a plane's values stand. */
struct tw_plane_at {
	enum tw_plane plane;
	uint8_t at;
	bool wide; /* 16 signed bits, else a byte */
};

/* The range of its values. */
static inline int32_t tw_plane_min(const struct tw_plane_at *at)
{
	return at->wide ? INT16_MIN : 0;
}

static inline int32_t tw_plane_max(const struct tw_plane_at *at)
{
	return at->wide ? INT16_MAX : UINT8_MAX;
}

struct tw_tile_form {
	uint8_t size;   /* bytes of a tile */
	uint8_t unused; /* 1 << byte: bytes that are 0 unless tiles are packed */
	uint8_t n;
	struct tw_plane_at planes[4];
};

/* The form of the tiles of a new layer of that kind. */
enum tw_form tw_kind_form(int32_t kind);
/* NULL for a form that is no tiles. */
const struct tw_tile_form *tw_tile_form(enum tw_form form);
const struct tw_plane_at *tw_plane_in(enum tw_form form, enum tw_plane plane); /* or NULL */
/* Where a plane stands in the first form that has it; its range is the same in all. */
const struct tw_plane_at *tw_plane_usual(enum tw_plane plane);
extern const char *const tw_plane_names[TW_N_PLANES];

enum tw_form tw_layer_form(const struct tw_map *m, const struct tw_item *it);
/* Why a layer that should have tables, quads or sources shows none: -EIO. 0: it does, or is of
 * another type. */
int tw_layer_check(const struct tw_map *m, const struct tw_item *it, struct error *e);

/* The tiles of a tile layer. */
struct tw_tiles {
	struct blob *blob; /* borrowed from the map */
	uint32_t field;    /* of the item, that names it */
	enum tw_form form;
	uint32_t w, h;
	uint8_t size; /* of a tile, decoded */
	bool packed;  /* runs of equal tiles are stored as one (version 4) */
};

/* false where the item has no planes. */
bool tw_tiles_of(const struct tw_map *m, const struct tw_item *it, struct tw_tiles *ret);
bool tw_is_game(const struct tw_item *it);
/* The game layer, or NULL. Of several a game uses the last one. */
const struct tw_item *tw_game_layer(const struct tw_map *m);
/* A physics layer's other tiles, `data`, which show nothing; false where there are none. They may
 * be fewer than w * h. */
bool tw_dummy_of(const struct tw_map *m, const struct tw_item *it, struct tw_tiles *ret);
