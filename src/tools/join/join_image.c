/* SPDX-License-Identifier: Zlib */
/* Merge images pixel by pixel. */
#include <errno.h>
#include <string.h>

#include "codec/image/png.h"
#include "codec/text/area.h"
#include "tools/compare/picture.h"
#include "tools/join/join.h"

static int join_pixels(const struct picture of[SIDES], struct bytes **ret, struct area *clash)
{
	const uint8_t *b = of[BASE].rgba->data, *o = of[OURS].rgba->data;
	const uint8_t *t = of[THEIRS].rgba->data;
	uint8_t *to;

	*ret = bytes_new(of->rgba->size, &to);
	if (!*ret)
		return -ENOMEM;
	for (size_t at = 0; at < of->rgba->size; at += PICTURE_PIXEL) {
		bool ours = memcmp(o + at, b + at, PICTURE_PIXEL) != 0;
		size_t pixel = at / PICTURE_PIXEL;

		if (ours && memcmp(t + at, b + at, PICTURE_PIXEL) != 0 &&
			memcmp(t + at, o + at, PICTURE_PIXEL) != 0)
			area_add(clash, pixel % of->w, pixel / of->w);
		memcpy(to + at, ours ? o + at : t + at, PICTURE_PIXEL);
	}
	return 0;
}

static int encode_png(const struct picture *p, struct buffer *out)
{
	struct extent all = {.mem = p->rgba, .size = p->rgba->size};
	uint64_t size;
	uint8_t *at;
	size_t n;

	if (png_file_size(p->w, p->h, &size) < 0)
		return -ENOTSUP;
	n = (size_t)size; /* little more than 2^31: png_file_size refuses larger files */
	at = buffer_reserve(out, n);
	if (!at)
		return -ENOMEM;
	out->size = n;
	return png_file_read(p->w, p->h, extent_read_fn, &all, NULL, 0, at, n, NULL);
}

int join_image(struct join *j)
{
	struct picture of[SIDES] = {{0}}, both = {0};
	struct area clash = {0};
	int r = j->sides[BASE] ? 0 : -ENOTSUP;

	for (int w = 0; r == 0 && w < SIDES; w++) {
		struct reader png = reader_from_extent(extent_of_bytes(TAKE(j->sides[w])));

		r = picture_of_png(&png, &of[w], NULL);
		if (r == 0 && (of[w].w != of->w || of[w].h != of->h))
			r = -ENOTSUP;
		reader_close(&png);
	}
	if (r == 0)
		r = join_pixels(of, &both.rgba, &clash);
	for (int w = 0; w < SIDES; w++)
		bytes_unref(of[w].rgba);
	both.w = of->w;
	both.h = of->h;
	if (r == 0)
		r = encode_png(&both, &j->out);
	bytes_unref(both.rgba);
	if (r == 0 && clash.n)
		buffer_printf(&j->clashes, "%ju %s, %s", (uintmax_t)clash.n,
			clash.n == 1 ? "pixel" : "pixels", area_text(clash).text);
	return r == -EINVAL || r == -EFBIG ? -ENOTSUP : r;
}
