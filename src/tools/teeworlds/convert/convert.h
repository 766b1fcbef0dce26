/* SPDX-License-Identifier: Zlib */
/*
 * convert: struct convert_tool of Teeworlds and DDNet maps. Each part of a map is looked at once,
 * by code that says what is wrong with it for a game, or, where the map is converted, mends it.
 */
#pragma once

#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/model/change.h"
#include "tools/convert/convert.h"
#include "tools/teeworlds/whole/whole.h"

extern const struct convert_tool tw_convert;

enum tw_game { TW_GAME_06, TW_GAME_07, TW_GAME_DDNET, TW_GAMES };

enum {
	TW_IMAGES_SHOWN = 64, /* games pass over all others */
	TW_CELLS = 16,        /* of an image of tiles, in each direction */
};

struct tw_converting {
	struct tw_whole whole;
	const struct tw_map *m; /* as it was opened, for as long as it is looked at */
	enum tw_game to;
	const char *game; /* what that is called */
	bool from_07;
	const struct convert *how; /* NULL: it is only looked at, and what is found is a fault */
	struct tw_faults *faults;
	struct tw_change *change;
	struct tw_converted_image {
		bool tiled;   /* a tile layer uses it */
		bool known;   /* what follows */
		int64_t w, h; /* as the new map has it */
	} images[TW_IMAGES_SHOWN];
	bool refused;
};

/* say.c. What the game does not load or show, and cannot be mended: fmt is all of it but the path.
 */
void convert_wrong(struct tw_converting *k, struct tw_place place, const char *field,
	const char *value, const char *bound, const char *fmt, ...) PRINTF_LIKE(6, 7);
/* r of mending it: what the map itself is to blame for is wrong; else r. */
int convert_failed(struct tw_converting *k, struct tw_place place, int r, struct error *e);

static inline bool convert_fits(const struct tw_converted_image *i)
{
	return i->w > 0 && i->h > 0 && i->w % TW_CELLS == 0 && i->h % TW_CELLS == 0;
}

/* The parts; -errno: it cannot go on. */
int convert_images(struct tw_converting *k, struct error *e);    /* images.c, before the layers */
int convert_layers(struct tw_converting *k, struct error *e);    /* layers.c */
int convert_envelopes(struct tw_converting *k, struct error *e); /* envelopes.c */
void convert_ignored(struct tw_converting *k);                   /* ignored.c */
