/* SPDX-License-Identifier: Zlib */
/*
 * texture: an image of a map, scaled to what is drawn with it.
 *
 * An image is decoded row by row and averaged down while it is. What is smaller still is made of
 * what is there. The last ones are kept, since several layers use one.
 */
#pragma once

#include "formats/preview.h"
#include "formats/teeworlds/model/map.h"
#include "formats/teeworlds/preview/canvas.h"

enum {
	TW_TEXTURE_MAX = 1024,      /* pixels of the longest side, as kept */
	TW_TEXTURE_LEVELS = 11,     /* that, its half, …, 1 */
	TW_TEXTURES = 8,            /* images that are kept */
	TW_TEXTURES_MAX = 32 << 20, /* bytes of them */
};

struct tw_texture {
	uint32_t w, h;
	struct bytes *pixels; /* NULL: not made yet */
	const uint8_t *rgba;  /* as pixel.h has it */
};

/* An image in the sizes that were asked for. */
struct tw_scaled {
	uint32_t image; /* its position */
	bool tiles;
	uint32_t side; /* of the first level, the longest one; the next one has half of it … */
	bool is_full_size; /* the first level is the image itself: there is no larger one */
	struct tw_texture levels[TW_TEXTURE_LEVELS];
};

/* With the first three set, and all else 0. */
struct tw_textures {
	const struct tw_map *m;
	struct tw_canvas *canvas; /* where what is read is counted */
	const struct preview *options;
	struct tw_scaled kept[TW_TEXTURES]; /* the last one first */
	bool is_reported[1 << 16];          /* told already, by position */
};

void tw_textures_finish(struct tw_textures *t);

/*
 * The image at a position, of at most `side` pixels (a power of 2) on its longest side; with tiles,
 * each of its 16 times 16 tiles, which are not mixed. What is returned is good until the next call;
 * -ENOENT: there is no such image to be had (it was told once).
 */
int tw_texture_get(struct tw_textures *t, uint32_t image, bool tiles, uint32_t side,
	const struct tw_texture **ret, struct error *e);
