/* SPDX-License-Identifier: Zlib */
/*
 * texture: images of a map, scaled down to the sizes in which they are drawn.
 *
 * An image is decoded row by row and averaged at once, so only its scaled form is in memory.
 * Smaller levels are made from that form. The last few images are kept: several layers use one.
 */
#pragma once

#include "formats/preview.h"
#include "formats/teeworlds/model/map.h"
#include "formats/teeworlds/preview/canvas.h"

enum {
	TW_TEXTURE_MAX = 1024,  /* pixels of the longest side that callers request */
	TW_TEXTURE_LEVELS = 11, /* sizes from TW_TEXTURE_MAX to 1, each half of the one before */
	TW_TEXTURES = 8,        /* number of images that are kept */
	TW_TEXTURES_MAX = 32 << 20, /* bytes of kept images; the last used one stays */
};

struct tw_texture {
	uint32_t w, h;
	struct bytes *pixels; /* NULL if the texture is not made yet */
	const uint8_t *rgba;  /* the pixels, as in pixel.h */
};

/* An image in the sizes that were requested. */
struct tw_scaled {
	uint32_t image;    /* position of the image */
	bool tiles;        /* scaled tile by tile; then `side` is that of a tile */
	uint32_t side;     /* level i has at most side >> i pixels on a side; 0 if unused */
	bool is_full_size; /* level 0 is not scaled down, so no larger level exists */
	struct tw_texture levels[TW_TEXTURE_LEVELS];
};

/* The images that are kept. The caller sets the first three members and zeroes the rest. */
struct tw_textures {
	const struct tw_map *m;
	struct tw_canvas *canvas; /* its read budget is used */
	const struct preview *options;
	struct tw_scaled kept[TW_TEXTURES]; /* the last used one first */
	/* By position: the image is not available, whole or (the second ones) tile by tile. */
	bool is_missing[2][1 << 16];
};

void tw_textures_finish(struct tw_textures *t); /* does not free t */

/* Get the image at a position in its largest size with at most `side` pixels (a power of 2) on the
 * longest side; with `tiles`, of each of its 16 x 16 tiles, which are not mixed. *ret is always the
 * whole image, valid until the next call. -ENOENT: it is missing, damaged, too small for tiles or
 * too large, also for the canvas's read budget; options->note says why once, later e is unset. */
int tw_texture_get(struct tw_textures *t, uint32_t image, bool tiles, uint32_t side,
	const struct tw_texture **ret, struct error *e);
