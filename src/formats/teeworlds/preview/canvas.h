/* SPDX-License-Identifier: Zlib */
/*
 * canvas: the picture being drawn, and the part of the world that it shows.
 *
 * Pixels are 8-bit RGBA with premultiplied alpha (pixel.h), here and in textures. A canvas has
 * budgets for drawn pixels and read bytes, because a small map can claim endless work.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

/* Limit of drawn pixels for each pixel of the picture. The largest real maps need about a third. */
enum { TW_OVERDRAW_MAX = 4096 };
/* Limits of decoded bytes of layers and images: for a picture, and for a row in memory. */
#define TW_READ_MAX (UINT64_C(4) << 30)
enum { TW_READ_ROW_MAX = 16 << 20 };

struct tw_canvas {
	uint32_t w, h;
	struct bytes *pixels; /* owned reference; 4 bytes for each pixel, rows from the top */
	uint8_t *rgba;        /* the bytes of `pixels` */
	uint64_t draw_budget; /* pixels that may still be drawn */
	uint64_t read_budget; /* bytes that may still be read */
};

/* A part of the canvas: pixels [x0, x1) and [y0, y1), all within the canvas. */
struct tw_clip {
	int64_t x0, y0, x1, y1;
};

/* The part of the world that the canvas shows, in world units of 1/32 of a tile. */
struct tw_view {
	double x, y;           /* top left corner */
	double step_x, step_y; /* size of a pixel */
};

/* Create a canvas: transparent, or opaque black as in the game. The caller drops c->pixels. */
int tw_canvas_init(struct tw_canvas *c, uint32_t w, uint32_t h, bool black, struct error *e);
/* Take n pixels from the draw budget before they are drawn. -E2BIG if it is exceeded. */
int tw_canvas_spend(struct tw_canvas *c, uint64_t n, struct error *e);

/* Take n bytes from the read budget before they are read in rows of `row` bytes. -E2BIG if it is
 * exceeded, or if a row is too long. */
int tw_canvas_read(struct tw_canvas *c, uint64_t n, uint64_t row, struct error *e);

/* Convert the pixels in place to plain RGBA, as PNG has it. Does not drop c->pixels. */
void tw_canvas_finish(struct tw_canvas *c);

/* v * envelope / 1024, for a color channel v. Clamps envelope to 0..1024, the result to 0..255. */
uint8_t tw_color(int32_t v, double envelope);
