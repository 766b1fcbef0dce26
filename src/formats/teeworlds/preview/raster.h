/* SPDX-License-Identifier: Zlib */
/* raster: from cells of a layer to pixels of the canvas. */
#pragma once

#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/preview/view.h"

/* A row of n pixels through a tile, as pixel.h has them: where they lie in it, u[i] and v of 65536.
 * false: there is nothing to be seen of the tile, and ret is untouched. */
typedef bool (*tw_show_tile)(
	void *arg, const uint8_t *tile, const uint16_t *u, size_t n, uint32_t v, uint32_t *ret);

/* Each pixel of the clip as show says, over what is there; where a pixel holds several tiles, their
 * mean. Tiles of a damaged layer are not drawn. */
int tw_raster_tiles(struct tw_painter *p, const struct tw_tiles *tiles, tw_show_tile show,
	void *arg, struct error *e);

/* A colour's part (0..255, or anything) times an envelope's value (1024: one), within 0..255. */
uint8_t tw_color(int32_t v, double envelope);
