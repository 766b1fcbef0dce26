/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/preview/canvas.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

int tw_canvas_init(struct tw_canvas *c, uint32_t w, uint32_t h, bool black, struct error *e)
{
	*c = (struct tw_canvas){.w = w,
		.h = h,
		.draw_budget = (uint64_t)w * h * TW_OVERDRAW_MAX,
		.read_budget = TW_READ_MAX};
	c->pixels = bytes_new((uint64_t)w * h * 4, &c->rgba);
	if (!c->pixels)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t i = 3; black && i < (size_t)w * h * 4; i += 4)
		c->rgba[i] = 255;
	return 0;
}

int tw_canvas_spend(struct tw_canvas *c, uint64_t n, struct error *e)
{
	if (n > c->draw_budget)
		return error_set(e, -E2BIG,
			"the map draws over each pixel of the picture more than %d times",
			TW_OVERDRAW_MAX);
	c->draw_budget -= n;
	return 0;
}

int tw_canvas_read(struct tw_canvas *c, uint64_t n, uint64_t row, struct error *e)
{
	if (row > TW_READ_ROW_MAX)
		return error_set(e, -E2BIG, "a row of %" PRIu64 " bytes is too long (at most %d)",
			row, TW_READ_ROW_MAX);
	if (n > c->read_budget)
		return error_set(e, -E2BIG,
			"the layers and images to draw have more than %" PRIu64 " bytes",
			(uint64_t)TW_READ_MAX);
	c->read_budget -= n;
	return 0;
}

void tw_canvas_finish(struct tw_canvas *c)
{
	for (uint8_t *p = c->rgba, *end = p + c->pixels->size; p < end; p += 4) {
		for (int i = 0; i < 3 && p[3] && p[3] < 255; i++) {
			uint32_t v = (p[i] * 255u + p[3] / 2u) / p[3];

			p[i] = (uint8_t)(v < 255 ? v : 255);
		}
	}
}

uint8_t tw_color(int32_t v, double envelope)
{
	double c = v * fmin(fmax(envelope / 1024, 0), 1);

	return c <= 0 ? 0 : c >= 255 ? 255 : (uint8_t)(c + 0.5);
}
