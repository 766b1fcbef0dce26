/* SPDX-License-Identifier: Zlib */
/* Images that both sides changed, pixel by pixel. */
#include <errno.h>
#include <string.h>

#include "cli/compare/area.h"
#include "cli/joining/join.h"
#include "cli/offline/reader.h"
#include "codec/image/png.h"

enum { PIXEL = 4 };

/* Read side by side. */
struct image {
	struct reader file;
	struct png_reader *rows;
	uint32_t width, height;
	const uint8_t *row;
};

static int open_all(const struct join *j, struct image of[SIDES])
{
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++) {
		struct image *i = &of[w];

		if (!j->of[w])
			return -ENOTSUP;
		i->file = reader_of(extent_of_bytes(bytes_ref(j->of[w])));
		r = png_reader_open(reader_read_fn, &i->file, i->file.size, &i->rows, &i->width,
			&i->height, NULL);
		if (r == 0 && (i->width != of->width || i->height != of->height))
			r = -ENOTSUP;
	}
	return r;
}

static int join_row(struct image of[SIDES], uint32_t y, uint8_t *to, struct area *clash)
{
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++)
		r = png_reader_row(of[w].rows, &of[w].row, NULL);
	for (uint32_t x = 0; r == 0 && x < of->width; x++) {
		size_t at = (size_t)x * PIXEL;
		const uint8_t *b = of[BASE].row + at, *o = of[OURS].row + at;
		const uint8_t *t = of[THEIRS].row + at;
		bool ours = memcmp(o, b, PIXEL) != 0;

		if (ours && memcmp(t, b, PIXEL) != 0 && memcmp(t, o, PIXEL) != 0)
			area_add(clash, x, y);
		memcpy(to + at, ours ? o : t, PIXEL);
	}
	return r;
}

static int encode(const struct image *like, struct bytes *pixels, struct buffer *out)
{
	struct extent all = {.mem = pixels, .size = pixels->size};
	uint64_t size;
	uint8_t *at;

	if (png_file_size(like->width, like->height, &size) < 0)
		return -ENOTSUP;
	at = buffer_reserve(out, size);
	if (!at)
		return -ENOMEM;
	out->size = size;
	return png_file_read(
		like->width, like->height, extent_read_fn, &all, NULL, 0, at, size, NULL);
}

static int join_pixels(struct image of[SIDES], struct buffer *out, struct area *clash)
{
	size_t row = (size_t)of->width * PIXEL;
	uint8_t *to;
	CLEANUP(bytes_unref) struct bytes *pixels = bytes_new(row * of->height, &to);
	int r = pixels ? 0 : -ENOMEM;

	for (uint32_t y = 0; r == 0 && y < of->height; y++, to += row)
		r = join_row(of, y, to, clash);
	return r < 0 ? r : encode(of, pixels, out);
}

int join_image(struct join *j)
{
	struct image of[SIDES] = {{.width = 0}};
	struct area clash = {0};
	int r = open_all(j, of);

	if (r == 0)
		r = join_pixels(of, &j->out, &clash);
	if (r == 0 && clash.n)
		buffer_printf(&j->told, "%ju %s, x %zu to %zu, y %zu to %zu", (uintmax_t)clash.n,
			clash.n == 1 ? "pixel" : "pixels", clash.left, clash.right, clash.top,
			clash.bottom);
	for (int w = 0; w < SIDES; w++) {
		png_reader_close(of[w].rows);
		reader_close(&of[w].file);
	}
	return r == -EINVAL ? -ENOTSUP : r;
}
