/* SPDX-License-Identifier: Zlib */
/* raster: from cells of a layer to pixels of the canvas. */
#pragma once

#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/preview/view.h"

/* What tiles are drawn with. */
struct tw_paint {
	const struct tw_texture *texture; /* NULL: plain squares */
	uint32_t id;                      /* where in a tile its number stands */
	/* By that number, as pixel.h has it: of the square, or over the texture. 0: it is not seen.
	 */
	uint32_t colors[256];
};

/* All of the clip, over what is there; where a pixel holds several tiles, their mean. Tiles of a
 * damaged layer are not drawn. */
int tw_raster_tiles(struct tw_painter *p, const struct tw_tiles *tiles,
	const struct tw_paint *paint, struct error *e);

/* A colour's part (0..255, or anything) times an envelope's value (1024: one), within 0..255. */
uint8_t tw_color(int32_t v, double envelope);
