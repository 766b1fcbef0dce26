/* SPDX-License-Identifier: Zlib */
/*
 * opaque: the OPAQUE bit of tiles, which follows from the pixels of their image.
 *
 * A tile id is opaque where every pixel of its cell (one of 16 x 16) has an alpha of 250 or more;
 * id 0 never is, and no id where cells are not square (DDNet's game/editor/mapitems/image.cpp). An
 * edit of an image changes the bit for those ids only whose opacity it changed, in design layers of
 * that image whose color is not transparent (alpha 255). A layer that was made since the mount came
 * along with its bits, which stay.
 */
#pragma once

#include "formats/teeworlds/model/change.h"

/* Tile flags: 1 and 2 mirror, 4 is OPAQUE, 8 turns (TILEFLAG_* in DDNet's game/mapitems.h). */
enum { TW_TILE_OPAQUE = 4, TW_OPAQUE_ALPHA = 250 };

struct opacity {
	uint32_t cell; /* pixels a side; 0: no id is opaque */
	bool opaque[256];
};

/* Rows are fed in order, from 0, each of w pixels of RGBA. */
void opacity_begin(struct opacity *o, uint32_t w, uint32_t h);
void opacity_row(struct opacity *o, uint32_t y, const uint8_t *rgba);

/* Is the image at this position used by a layer whose tiles carry the bit? */
bool opaque_matters(const struct tw_map *m, uint32_t image);

/* Adds the layers' new tiles to c. A layer that cannot be decoded is left as it is. */
int opaque_follow(const struct tw_map *m, uint32_t image, const struct opacity *before,
	const struct opacity *after, struct tw_change *c, struct error *e);
