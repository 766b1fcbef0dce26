/* SPDX-License-Identifier: Zlib */
/* convert: struct convert_tool of Teeworlds and DDNet maps. The same code checks and converts: it
 * visits each part of a map once, and reports why a game does not accept it, or repairs it. */
#pragma once

#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/model/change.h"
#include "tools/convert/convert.h"
#include "tools/teeworlds/whole/whole.h"

extern const struct convert_tool tw_convert;

enum tw_game { TW_GAME_06, TW_GAME_07, TW_GAME_DDNET, TW_GAMES };

enum {
	TW_IMAGES_SHOWN = 64, /* games ignore all images after these */
	TW_CELLS = 16,        /* tiles in each direction of a tileset image */
};

struct tw_converting {
	struct tw_whole whole;  /* of a conversion; zeros for a check */
	const struct tw_map *m; /* the map as opened; `change` collects the changes to it */
	enum tw_game to;
	const char *game;           /* name of `to`, for messages */
	bool from_07;               /* the map is one of 0.7 */
	const struct convert *how;  /* NULL for a check */
	struct tw_faults *faults;   /* of a check; NULL for a conversion */
	struct tw_change *change;   /* of a conversion; NULL for a check */
	struct tw_converted_image { /* by position; set by convert_images */
		bool tiled;         /* a tile layer uses it */
		bool known;         /* w and h are valid */
		int64_t w, h;       /* in the new map */
	} images[TW_IMAGES_SHOWN];
	bool refused; /* convert_report was called, or tw_check refuses the result */
};

/* say.c: Report a part that the game does not load or show, and that is not repaired: as a fault,
 * or in the report of a conversion, which then fails, and needs the place of an item. field, value,
 * bound: as in format_fault, or "". fmt gives the text after the path. */
void convert_report(struct tw_converting *k, struct tw_place place, const char *field,
	const char *value, const char *bound, const char *fmt, ...) PRINTF_LIKE(6, 7);
/* say.c: Handle the error r of a repair. An error in the map (-EINVAL, -EIO) is reported like
 * convert_report does, and 0 is returned; any other is returned. */
int convert_handle_error(struct tw_converting *k, struct tw_place place, int r, struct error *e);

/* Does 0.7 accept the size of an image for tiles? */
static inline bool convert_fits(const struct tw_converted_image *i)
{
	return i->w > 0 && i->h > 0 && i->w % TW_CELLS == 0 && i->h % TW_CELLS == 0;
}

/* Check or convert one kind of parts. -errno if the whole must stop. convert_ignored reports parts
 * that only DDNet has to a check for Teeworlds, and removes them if how->strip is set. */
int convert_images(struct tw_converting *k, struct error *e);    /* images.c; before the layers */
int convert_layers(struct tw_converting *k, struct error *e);    /* layers.c */
int convert_envelopes(struct tw_converting *k, struct error *e); /* envelopes.c */
void convert_ignored(struct tw_converting *k);                   /* ignored.c */
