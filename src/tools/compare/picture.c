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
#include "codec/image/png_writer.h"

enum { PIXEL = PICTURE_PIXEL, GAP = PICTURE_GAP, PIECE = 64 << 10, PIXELS_MAX = 256 << 20 };
enum { BUDGET = 16 << 20 /* compressed bytes kept; evicted ones are compressed again */ };

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
			e, -EFBIG, "%u x %u pixels are too many for a picture", p->w, p->h);
	p->rgba = bytes_new(row * p->h, &dst);
	if (!p->rgba)
		return error_set(e, -ENOMEM, "out of memory");
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

static bool is_there(const uint8_t *p)
{
	return p && p[3];
}

static void mark_pixel(const uint8_t *a, const uint8_t *b, uint8_t *dst)
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
	/* An unchanged pixel is pale: transparent is white, and black is light gray. */
	memset(dst, 255 - (255 - (b[0] + b[1] + b[2]) / 3) * b[3] / 255 / 3, PIXEL - 1);
	dst[3] = 255;
}

/* Compute the size of a picture of several panels, each large enough for a and b. */
static int measure_panels(const struct picture *a, const struct picture *b, uint32_t panels,
	struct picture *ret, struct error *e)
{
	uint32_t w = a->w > b->w ? a->w : b->w, h = a->h > b->h ? a->h : b->h;
	uint64_t all = (uint64_t)panels * w + (uint64_t)(panels - 1) * GAP;

	if (all * h > PIXELS_MAX)
		return error_set(e, -EINVAL, "%u x %u pixels are too many for a picture", w, h);
	*ret = (struct picture){.w = (uint32_t)all, .h = h};
	return 0;
}

/* Copy a row of each picture into its panel of w pixels. A NULL row is outside its picture. */
static void put_beside(const struct picture *a, const uint8_t *x, const struct picture *b,
	const uint8_t *y, uint32_t w, uint8_t *dst)
{
	if (x)
		memcpy(dst, x, (size_t)a->w * PIXEL);
	if (y)
		memcpy(dst + ((size_t)w + GAP) * PIXEL, y, (size_t)b->w * PIXEL);
}

/* Copy a row of each picture, and draw the third panel with the marks. */
static void put_compared(const struct picture *a, const uint8_t *x, const struct picture *b,
	const uint8_t *y, uint8_t *dst)
{
	uint32_t w = a->w > b->w ? a->w : b->w;
	uint8_t *marks = dst + 2 * ((size_t)w + GAP) * PIXEL;

	put_beside(a, x, b, y, w, dst);
	for (uint32_t k = 0; k < w; k++)
		mark_pixel(x && k < a->w ? x + (size_t)k * PIXEL : NULL,
			y && k < b->w ? y + (size_t)k * PIXEL : NULL, marks + (size_t)k * PIXEL);
}

static const uint8_t *row_of(const struct picture *p, uint32_t y)
{
	return y < p->h ? p->rgba->data + (size_t)y * p->w * PIXEL : NULL;
}

static int make_panels(struct picture *p, uint8_t **ret_pixels, struct error *e)
{
	size_t size = (size_t)p->w * p->h * PIXEL;

	p->rgba = bytes_new(size, ret_pixels);
	if (!p->rgba)
		return error_set(e, -ENOMEM, "out of memory");
	memset(*ret_pixels, 0, size);
	return 0;
}

int picture_beside(const struct picture *a, const struct picture *b, struct picture *ret,
	uint8_t **ret_pixels, struct error *e)
{
	struct picture p;
	int r = measure_panels(a, b, 2, &p, e);

	if (r == 0)
		r = make_panels(&p, ret_pixels, e);
	if (r < 0)
		return r;
	for (uint32_t y = 0; y < p.h; y++)
		put_beside(a, row_of(a, y), b, row_of(b, y), a->w > b->w ? a->w : b->w,
			*ret_pixels + (size_t)y * p.w * PIXEL);
	*ret = p;
	return 0;
}

int picture_compare(
	const struct picture *a, const struct picture *b, struct picture *ret, struct error *e)
{
	struct picture p;
	uint8_t *pixels;
	int r = measure_panels(a, b, 3, &p, e);

	if (r == 0)
		r = make_panels(&p, &pixels, e);
	if (r < 0)
		return r;
	for (uint32_t y = 0; y < p.h; y++)
		put_compared(a, row_of(a, y), b, row_of(b, y), pixels + (size_t)y * p.w * PIXEL);
	*ret = p;
	return 0;
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

/* Input of write_file: a picture, or two PNG files to compare. */
struct writing {
	const struct picture *picture;
	struct picture a, b, both; /* only their sizes */
	struct png_reader *x, *y;
};

static int write_bytes(void *arg, const void *data, size_t n, struct error *)
{
	return io_write(*(int *)arg, data, n);
}

/* Read the next row. *row is unchanged after the last one. */
static int next_row(struct png_reader *png, const struct picture *p, uint32_t y,
	const uint8_t **row, struct error *e)
{
	return y < p->h ? png_reader_row(png, row, e) : 0;
}

static int write_compared(int fd, const struct writing *w, struct error *e)
{
	CLEANUP(png_writer_close) struct png_writer *png = NULL;
	size_t size = (size_t)w->both.w * PIXEL;
	CLEANUP(free) uint8_t *row = malloc(size);
	int r = row ? png_writer_open(write_bytes, &fd, w->both.w, w->both.h, &png, e)
		    : error_set(e, -ENOMEM, "out of memory");

	for (uint32_t k = 0; r == 0 && k < w->both.h; k++) {
		const uint8_t *x = NULL, *y = NULL;

		r = next_row(w->x, &w->a, k, &x, e);
		if (r == 0)
			r = next_row(w->y, &w->b, k, &y, e);
		if (r < 0)
			break;
		memset(row, 0, size);
		put_compared(&w->a, x, &w->b, y, row);
		r = png_writer_row(png, row, e);
	}
	return r;
}

static int write_picture(int dirfd, const char *name, const struct writing *w, mode_t mode,
	bool over, struct error *e)
{
	char made[NAME_MAX + 1];
	int fd = io_temporary(dirfd, ".mapfs-picture-", mode, made), r = fd;

	if (r >= 0)
		r = w->picture ? picture_put(fd, w->picture, e) : write_compared(fd, w, e);
	if (r >= 0)
		r = over ? io_rename(dirfd, made, name) : io_rename_noreplace(dirfd, made, name);
	if (r < 0 && fd >= 0)
		(void)io_unlink(dirfd, made);
	if (fd >= 0)
		close(fd);
	return r < 0 ? error_set(e, r, "cannot write: %s", strerror(-r)) : 0;
}

int picture_write(int dirfd, const char *name, const struct picture *p, mode_t mode, bool over,
	struct error *e)
{
	return write_picture(dirfd, name, &(struct writing){.picture = p}, mode, over, e);
}

static int open_png(
	struct reader *file, struct png_reader **ret, struct picture *p, struct error *e)
{
	reader_rewind(file);
	return png_reader_open(reader_read_fn, file, file->size, ret, &p->w, &p->h, e);
}

int picture_write_compared(int dirfd, const char *name, struct reader *a, struct reader *b,
	mode_t mode, struct error *e)
{
	CLEANUP(png_reader_close) struct png_reader *x = NULL, *y = NULL;
	struct writing w = {0};
	int r = open_png(a, &x, &w.a, e);

	if (r == 0)
		r = open_png(b, &y, &w.b, e);
	if (r == 0)
		r = measure_panels(&w.a, &w.b, 3, &w.both, e);
	w.x = x;
	w.y = y;
	return r < 0 ? r : write_picture(dirfd, name, &w, mode, false, e);
}
