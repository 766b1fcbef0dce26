/* SPDX-License-Identifier: Zlib */
/* Images that both sides changed, pixel by pixel. */
#include <errno.h>
#include <string.h>

#include "cli/compare/area.h"
#include "cli/joining/join.h"
#include "cli/offline/reader.h"
#include "codec/image/png.h"

enum { PIXEL = 4, IMAGES = 3 };

/* Read side by side. */
struct image {
	struct reader file;
	struct png_reader *rows;
	uint32_t width, height;
	const uint8_t *row;
};

struct joining {
	struct image b, o, t;
	struct area clash;
};

static int image_open(struct image *i, struct bytes *png)
{
	int r;

	i->file = reader_of(extent_of_bytes(bytes_ref(png)));
	r = png_reader_open(
		reader_read_fn, &i->file, i->file.size, &i->rows, &i->width, &i->height, NULL);
	return r == -EINVAL ? -ENOTSUP : r;
}

static void image_close(struct image *i)
{
	png_reader_close(i->rows);
	reader_close(&i->file);
}

static int join_row(struct joining *j, uint32_t y, uint8_t *to)
{
	struct image *all[IMAGES] = {&j->b, &j->o, &j->t};
	int r = 0;

	for (int i = 0; r == 0 && i < IMAGES; i++)
		r = png_reader_row(all[i]->rows, &all[i]->row, NULL);
	for (uint32_t x = 0; r == 0 && x < j->o.width; x++) {
		size_t at = (size_t)x * PIXEL;
		const uint8_t *b = j->b.row + at, *o = j->o.row + at, *t = j->t.row + at;
		bool ours = memcmp(o, b, PIXEL) != 0;

		if (ours && memcmp(t, b, PIXEL) != 0 && memcmp(t, o, PIXEL) != 0)
			area_add(&j->clash, x, y);
		memcpy(to + at, ours ? o : t, PIXEL);
	}
	return r == -EINVAL ? -ENOTSUP : r;
}

static int encode(const struct image *like, struct bytes *pixels, struct bytes **ret)
{
	struct extent all = {.mem = pixels, .size = pixels->size};
	CLEANUP(bytes_unref) struct bytes *out = NULL;
	uint64_t size;
	uint8_t *at;
	int r = png_file_size(like->width, like->height, &size);

	if (r < 0)
		return -ENOTSUP;
	out = bytes_new(size, &at);
	if (!out)
		return -ENOMEM;
	r = png_file_read(like->width, like->height, extent_read_fn, &all, NULL, 0, at, size, NULL);
	if (r == 0)
		*ret = TAKE(out);
	return r;
}

static int join_rows_of(struct joining *j, struct bytes **ret)
{
	size_t row = (size_t)j->o.width * PIXEL;
	CLEANUP(bytes_unref) struct bytes *pixels = NULL;
	uint8_t *to;
	int r = 0;

	if (j->b.width != j->o.width || j->b.height != j->o.height || j->t.width != j->o.width ||
		j->t.height != j->o.height)
		return -ENOTSUP;
	pixels = bytes_new(row * j->o.height, &to);
	if (!pixels)
		return -ENOMEM;
	for (uint32_t y = 0; r == 0 && y < j->o.height; y++, to += row)
		r = join_row(j, y, to);
	return r < 0 ? r : encode(&j->o, pixels, ret);
}

int join_image(struct bytes *b, struct bytes *o, struct bytes *t, struct bytes **ret, char **told)
{
	struct joining j = {0};
	int r = b ? image_open(&j.b, b) : -ENOTSUP;

	*told = NULL;
	if (r == 0)
		r = image_open(&j.o, o);
	if (r == 0)
		r = image_open(&j.t, t);
	if (r == 0)
		r = join_rows_of(&j, ret);
	if (r == 0 && j.clash.n)
		*told = text_printf("%ju %s, x %zu to %zu, y %zu to %zu", (uintmax_t)j.clash.n,
			j.clash.n == 1 ? "pixel" : "pixels", j.clash.left, j.clash.right,
			j.clash.top, j.clash.bottom);
	if (r == 0 && j.clash.n && !*told)
		r = -ENOMEM;
	image_close(&j.b);
	image_close(&j.o);
	image_close(&j.t);
	return r;
}
