/* SPDX-License-Identifier: Zlib */
#include "tools/compare/picture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/disk/io.h"
#include "codec/blob.h"
#include "codec/image/png.h"
#include "codec/image/png_pack.h"

enum { PIXEL = PICTURE_PIXEL, GAP = PICTURE_GAP, PIECE = 64 << 10, PIXELS_MAX = 256 << 20 };
enum { BUDGET = 16 << 20 /* of compressed bytes; what is evicted is compressed again */ };

const uint8_t picture_marks[REVIEW_MARKS][PIXEL] = {
	[REVIEW_ADDED] = {0, 255, 0, 255},
	[REVIEW_REMOVED] = {255, 0, 0, 255},
	[REVIEW_CHANGED] = {0, 255, 255, 255},
};

static int read_rows(struct png_reader *png, struct picture *p, struct error *e)
{
	size_t row = (size_t)p->w * PIXEL;
	const uint8_t *rgba;
	uint8_t *dst;
	int r = 0;

	if ((uint64_t)p->w * p->h > PIXELS_MAX / PIXEL)
		return error_set(
			e, -EFBIG, "it has %u x %u pixels, too many for a picture", p->w, p->h);
	p->rgba = bytes_new(row * p->h, &dst);
	if (!p->rgba)
		return error_set(e, -ENOMEM, "no memory for a picture");
	for (uint32_t y = 0; r == 0 && y < p->h; y++) {
		r = png_reader_row(png, &rgba, e);
		if (r == 0)
			memcpy(dst + y * row, rgba, row);
	}
	return r;
}

int picture_of_png(struct reader *png, struct picture *ret, struct error *e)
{
	CLEANUP(png_reader_close) struct png_reader *rows = NULL;
	struct picture p = {0};
	int r;

	reader_rewind(png);
	r = png_reader_open(reader_read_fn, png, png->size, &rows, &p.w, &p.h, e);
	if (r == 0)
		r = read_rows(rows, &p, e);
	if (r == 0)
		*ret = p;
	else
		bytes_unref(p.rgba);
	return r;
}

/* Nothing at all beyond the picture's sides. */
static const uint8_t *pixel(const struct picture *p, uint32_t x, uint32_t y)
{
	return x < p->w && y < p->h ? p->rgba->data + ((size_t)y * p->w + x) * PIXEL : NULL;
}

static bool is_there(const uint8_t *p)
{
	return p && p[3];
}

static void mark(const uint8_t *a, const uint8_t *b, uint8_t *dst)
{
	if (!a && !b)
		return;
	if (!a || !b || memcmp(a, b, PIXEL) != 0) {
		enum review_mark m = is_there(a) == is_there(b) ? REVIEW_CHANGED
				     : is_there(a)              ? REVIEW_REMOVED
								: REVIEW_ADDED;

		memcpy(dst, picture_marks[m], PIXEL);
		return;
	}
	/* Transparent is white, and black a light grey. */
	memset(dst, 255 - (255 - (b[0] + b[1] + b[2]) / 3) * b[3] / 255 / 3, PIXEL - 1);
	dst[3] = 255;
}

int picture_beside(const struct picture *a, const struct picture *b, uint32_t panels,
	struct picture *ret, uint8_t **ret_pixels, struct error *e)
{
	uint32_t w = a->w > b->w ? a->w : b->w, h = a->h > b->h ? a->h : b->h;
	uint64_t all = (uint64_t)panels * w + (uint64_t)(panels - 1) * GAP;
	struct picture p;

	if (all * h > PIXELS_MAX)
		return error_set(
			e, -EFBIG, "they have %u x %u pixels, too many for a picture", w, h);
	p = (struct picture){(uint32_t)all, h, bytes_new((size_t)all * h * PIXEL, ret_pixels)};
	if (!p.rgba)
		return error_set(e, -ENOMEM, "no memory for a picture");
	memset(*ret_pixels, 0, p.rgba->size);
	for (uint32_t y = 0; y < h; y++) {
		uint8_t *dst = *ret_pixels + y * all * PIXEL;

		if (y < a->h)
			memcpy(dst, pixel(a, 0, y), (size_t)a->w * PIXEL);
		if (y < b->h)
			memcpy(dst + ((size_t)w + GAP) * PIXEL, pixel(b, 0, y),
				(size_t)b->w * PIXEL);
	}
	*ret = p;
	return 0;
}

int picture_compare(
	const struct picture *a, const struct picture *b, struct picture *ret, struct error *e)
{
	uint32_t w = a->w > b->w ? a->w : b->w;
	uint8_t *dst;
	int r = picture_beside(a, b, 3, ret, &dst, e);

	for (uint32_t y = 0; r == 0 && y < ret->h; y++)
		for (uint32_t x = 0; x < w; x++)
			mark(pixel(a, x, y), pixel(b, x, y),
				dst + ((size_t)y * ret->w + 2 * ((size_t)w + GAP) + x) * PIXEL);
	return r;
}

int picture_put(int fd, const struct picture *p, struct error *e)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(BUDGET);
	CLEANUP(blob_unref)
	struct blob *b = budget ? blob_of_bytes(bytes_ref(p->rgba), budget) : NULL;
	CLEANUP(free) uint8_t *piece = malloc(PIECE);
	uint64_t size = 0;
	int r = piece && b ? png_packed_size(b, p->w, p->h, &size, e) : -ENOMEM;

	for (uint64_t at = 0; r >= 0 && at < size; at += PIECE) {
		size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;

		r = png_packed_read(b, p->w, p->h, at, piece, n, e);
		if (r == 0)
			r = io_write(fd, piece, n);
	}
	return r;
}

int picture_write(int dirfd, const char *name, const struct picture *p, mode_t mode, bool over,
	struct error *e)
{
	char made[NAME_MAX + 1];
	int fd = io_temporary(dirfd, ".mapfs-picture-", mode, made), r = fd;

	if (r >= 0)
		r = picture_put(fd, p, e);
	if (r >= 0)
		r = over ? io_rename(dirfd, made, name) : io_rename_noreplace(dirfd, made, name);
	if (r < 0 && fd >= 0)
		(void)io_unlink(dirfd, made);
	if (fd >= 0)
		close(fd);
	return r < 0 ? error_set(e, r, "cannot be written: %s", strerror(-r)) : 0;
}
