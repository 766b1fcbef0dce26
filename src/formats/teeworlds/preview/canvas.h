/* SPDX-License-Identifier: Zlib */
/*
 * canvas: the picture under construction, and where a group's part of the world stands in it.
 *
 * Pixels are 8-bit RGBA with colours multiplied by alpha (pixel.h), here and in textures.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

/* Drawn pixels, in sum, for one of the picture: a small map can claim more than any time is enough
 * for. The largest real maps need about a third of it. */
enum { TW_OVERDRAW_MAX = 4096 };
/* Bytes of layers and images, unpacked, that are looked at for one picture; of a row 16 MiB, for a
 * row is in memory. */
#define TW_READ_MAX (UINT64_C(4) << 30)
enum { TW_ROW_MAX = 16 << 20 };

struct tw_canvas {
	uint32_t w, h;
	struct bytes *pixels;
	uint8_t *rgba;
	uint64_t draw_budget; /* pixels that may still be drawn */
	uint64_t read_budget; /* bytes that may still be read */
};

/* A part of the canvas: pixels [x0, x1) and [y0, y1). */
struct tw_clip {
	int64_t x0, y0, x1, y1;
};

/* What the canvas shows of the world, in its units of 1/32 of a tile. */
struct tw_view {
	double x, y;           /* at the canvas's corner */
	double step_x, step_y; /* from one pixel to the next */
};

/* Transparent, or black as in the game. The caller's; -ENOMEM. */
int tw_canvas_init(struct tw_canvas *c, uint32_t w, uint32_t h, bool black, struct error *e);
/* Counts n pixels that are about to be drawn; -E2BIG: that is too much. */
int tw_canvas_spend(struct tw_canvas *c, uint64_t n, struct error *e);

/* Counts n bytes that are about to be read, in rows of so many; -E2BIG. */
int tw_canvas_read(struct tw_canvas *c, uint64_t n, uint64_t row, struct error *e);

/* Back to plain RGBA, as PNG has it. */
void tw_canvas_finish(struct tw_canvas *c);

/* A colour's part (0..255, or anything) times an envelope's value (1024: one), within 0..255. */
uint8_t tw_color(int32_t v, double envelope);
