/* SPDX-License-Identifier: Zlib */
/*
 * texture: an image of a map, scaled to what is drawn with it.
 *
 * Images go by row by row and are averaged down while they do, so that one takes the memory of its
 * scaled form only. The last ones are kept, since several layers use one.
 */
#ifndef FORMATS_TEEWORLDS_PREVIEW_TEXTURE_H
#define FORMATS_TEEWORLDS_PREVIEW_TEXTURE_H

#include "formats/preview.h"
#include "formats/teeworlds/model/map.h"

enum {
	TW_TEXTURE_MAX = 1024,     /* pixels a side, as kept */
	TW_TEXTURES = 8,           /* that are kept */
	TW_TEXTURES_MAX = 32 << 20 /* bytes of them */
};

struct tw_texture {
	uint32_t w, h;
	struct bytes *pixels;
	const uint8_t *rgba; /* multiplied by alpha */
	bool tiles;
	uint32_t image; /* the position of the image that it was made of */
	uint32_t asked; /* and for which tw_texture_get */
};

struct tw_textures {
	const struct tw_map *m;
	const struct preview *how;
	struct tw_texture kept[TW_TEXTURES]; /* the last one first */
	bool missing[1 << 16];               /* told already, by position */
};

void tw_textures_init(struct tw_textures *t, const struct tw_map *m, const struct preview *how);
void tw_textures_finish(struct tw_textures *t);

/*
 * The image at a position, of at most `side` pixels a side: with tiles, each of its 16 times 16
 * tiles, which are not mixed; else all of it. What is returned is good until the next call;
 * -ENOENT: there is no such image to be had (it was told once).
 */
int tw_texture_get(struct tw_textures *t, uint32_t image, bool tiles, uint32_t side,
	const struct tw_texture **ret, struct error *e);

#endif
