/* SPDX-License-Identifier: Zlib */
/* opaque: the OPAQUE bit of tiles, which is derived from the pixels of their image.
 *
 * A tile id is opaque if all pixels of its cell (one of 16 x 16) have an alpha of at least 250. Id
 * 0 never is, and no id is if cells are not square (DDNet's game/editor/mapitems/image.cpp). An
 * edit of an image changes the bit only for ids whose opacity changed, and only in design layers
 * that use the image with a layer color of alpha 255. A layer created since the mount keeps the
 * bits it came with. */
#pragma once

#include "formats/teeworlds/model/change.h"

/* Tile flags: 1 and 2 mirror, 4 is OPAQUE, 8 turns (TILEFLAG_* in DDNet's game/mapitems.h). */
enum { TW_TILE_OPAQUE = 4, TW_OPAQUE_ALPHA = 250 };

struct opacity {
	uint32_t cell;    /* side of a cell in pixels; 0: no id is opaque */
	bool opaque[256]; /* by tile id */
};

/* Start with an image of w x h pixels. *o is valid after all rows were passed to opacity_row. */
void opacity_begin(struct opacity *o, uint32_t w, uint32_t h);
/* Add row y, w pixels of RGBA. Rows must be in order from 0. */
void opacity_row(struct opacity *o, uint32_t y, const uint8_t *rgba);

/* Find the opacity of w x h pixels of RGBA, which the blob must have. -EIO: it is damaged. */
int tw_opaque_read(
	struct blob *pixels, uint32_t w, uint32_t h, struct opacity *ret, struct error *e);

/* Does an image decide the bit in any layer? image: its number in TW_TILES_IMAGE (tw_ref_of). */
bool tw_opaque_is_used(const struct tw_map *m, uint32_t image);

/* Change the bit through c, in the layers of m (c->base) in which the image decides it, for ids of
 * other opacity before than after. A layer that cannot be decoded keeps its tiles. */
int tw_opaque_update(const struct tw_map *m, uint32_t image, const struct opacity *before,
	const struct opacity *after, struct tw_change *c, struct error *e);
