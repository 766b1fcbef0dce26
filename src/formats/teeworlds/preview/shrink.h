/* SPDX-License-Identifier: Zlib */
/*
 * shrink: an image scaled down while its rows go by, so that it takes the memory of its scaled form
 * only. Each pixel of the result is the mean of a box of the image's, colours multiplied by alpha.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

struct tw_shrink {
	uint32_t w, h;   /* of the image */
	uint32_t ow, oh; /* of the result: no more, and 1 at least */
	bool multiplied; /* its colours are multiplied by alpha already */

	struct bytes *pixels; /* the result */
	uint8_t *out;
	uint64_t *sums; /* of the row at hand: four a pixel, times 255 */
	uint32_t row;   /* which is */
};

/* With the first five fields set, and all else 0. -ENOMEM. */
int tw_shrink_begin(struct tw_shrink *s, struct error *e);
/* Row y, all of them in order. */
void tw_shrink_row(struct tw_shrink *s, uint32_t y, const uint8_t *rgba);
/* Whether begun or not; what is in pixels goes unless it was taken out. */
void tw_shrink_finish(struct tw_shrink *s);
