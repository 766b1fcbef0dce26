/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/preview/shrink.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/preview/pixel.h"

/* So many times 255 * 255 fit 32 bits. */
enum { RUN_MAX = 1 << 16 };

int tw_shrink_begin(struct tw_shrink *s, struct error *e)
{
	s->sums = calloc((size_t)s->ow * 4, sizeof(*s->sums));
	s->pixels = bytes_resize(NULL, (size_t)s->ow * s->oh * 4, &s->out);
	return s->sums && s->pixels ? 0 : error_set(e, -ENOMEM, "no memory for an image");
}

/* The first pixel of the image that belongs to pixel i of the result. */
static uint32_t first_of(uint32_t i, uint32_t n, uint32_t out)
{
	return (uint32_t)((uint64_t)i * n / out);
}

/* Two parts in the halves of a number: the first and third byte of v. */
static uint64_t pair(uint32_t v)
{
	return (v & 255) | (uint64_t)(v & 0xff0000) << 16;
}

/* n pixels, no more than RUN_MAX. */
static void add_run(const struct tw_shrink *s, const uint8_t *rgba, uint32_t n, uint64_t *sum)
{
	const uint64_t opaque = (uint64_t)255 << 32;
	uint64_t red_blue = 0, green_alpha = 0;

	for (const uint8_t *end = rgba + (size_t)n * 4; rgba < end; rgba += 4) {
		uint32_t p = load_u32(rgba), by = s->multiplied ? 255 : tw_alpha(p);

		red_blue += pair(p) * by;
		if (s->multiplied)
			green_alpha += pair(p >> 8) * by;
		else
			green_alpha += ((p >> 8 & 255) | opaque) * by;
	}
	sum[0] += (uint32_t)red_blue;
	sum[1] += (uint32_t)green_alpha;
	sum[2] += red_blue >> 32;
	sum[3] += green_alpha >> 32;
}

static void end_row(struct tw_shrink *s)
{
	uint32_t rows = first_of(s->row + 1, s->h, s->oh) - first_of(s->row, s->h, s->oh);
	uint8_t *to = s->out + (size_t)s->row * s->ow * 4;
	uint32_t x = 0;

	for (uint32_t o = 0; o < s->ow; o++) {
		uint32_t end = first_of(o + 1, s->w, s->ow);
		double part = 1 / (255.0 * rows * (end - x));

		for (uint32_t i = 0; i < 4; i++)
			*to++ = (uint8_t)((double)s->sums[4 * (size_t)o + i] * part + 0.5);
		x = end;
	}
	memset(s->sums, 0, (size_t)s->ow * 4 * sizeof(*s->sums));
	s->row++;
}

static void sum_row(struct tw_shrink *s, const uint8_t *rgba)
{
	uint32_t x = 0;

	for (uint32_t o = 0; o < s->ow; o++) {
		for (uint32_t end = first_of(o + 1, s->w, s->ow), n; x < end; x += n) {
			n = end - x < RUN_MAX ? end - x : RUN_MAX;
			add_run(s, rgba + (size_t)x * 4, n, s->sums + 4 * (size_t)o);
		}
	}
}

void tw_shrink_row(struct tw_shrink *s, uint32_t y, const uint8_t *rgba)
{
	sum_row(s, rgba);
	if (y + 1 == first_of(s->row + 1, s->h, s->oh))
		end_row(s);
}

void tw_shrink_finish(struct tw_shrink *s)
{
	free(s->sums);
	bytes_unref(s->pixels);
	s->sums = NULL;
	s->pixels = NULL;
}
