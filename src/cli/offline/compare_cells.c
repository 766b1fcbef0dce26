/* SPDX-License-Identifier: Zlib */
/* Cells of tables, and pixels of images. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/offline/compare.h"
#include "codec/png.h"

enum { CELLS_SHOWN = 10 };

/* What changed, in a rectangle. */
struct area {
	size_t n, left, right, top, bottom;
};

static void grow(struct area *a, size_t x, size_t y)
{
	if (!a->n++)
		*a = (struct area){1, x, x, y, y};
	a->left = x < a->left ? x : a->left;
	a->right = x > a->right ? x : a->right;
	a->top = y < a->top ? y : a->top;
	a->bottom = y > a->bottom ? y : a->bottom;
}

struct cell {
	const char *text;
	size_t n;
};

/* The next one of a line; *at is past end after the last. */
static bool next(const char **at, const char *end, struct cell *ret)
{
	const char *from = *at, *to;

	if (from > end)
		return false;
	to = memchr(from, ',', (size_t)(end - from));
	to = to ? to : end;
	*at = to + 1;
	while (from < to && *from == ' ')
		from++;
	*ret = (struct cell){from, (size_t)(to - from)};
	return true;
}

struct table {
	struct area area;
	struct buffer cells; /* what is told of the first of them */
};

/* false: one has more cells. */
static bool compare_line(
	struct table *t, size_t y, const char *p, size_t n, const char *q, size_t m)
{
	const char *p_end = p + n, *q_end = q + m;
	struct cell c, d;

	for (size_t x = 1;; x++) {
		bool more = next(&p, p_end, &c);

		if (more != next(&q, q_end, &d))
			return false;
		if (!more)
			return true;
		if (c.n == d.n && memcmp(c.text, d.text, c.n) == 0)
			continue;
		grow(&t->area, x, y);
		if (t->area.n <= CELLS_SHOWN)
			buffer_printf(&t->cells, " line %zu, column %zu: %.*s -> %.*s\n", y, x,
				(int)c.n, c.text, (int)d.n, d.text);
	}
}

/* 1: there are more lines; 0: both ended; -ENOTSUP: one did. */
static int compare_next(struct table *t, size_t y, struct reader *a, struct reader *b, bool *same)
{
	const char *p, *q;
	size_t n, m;
	int r = reader_line(a, &p, &n), s = reader_line(b, &q, &m);

	if (r < 0 || s < 0)
		return r < 0 ? r : s;
	if (r != s)
		return -ENOTSUP;
	if (r == 0 || (n == m && memcmp(p, q, n) == 0))
		return r;
	*same = false;
	return compare_line(t, y, p, n, q, m) ? 1 : -ENOTSUP;
}

int compare_tables(struct reader *a, struct reader *b, struct buffer *out)
{
	struct table t = {.cells = BUFFER_INIT};
	const struct area *area = &t.area;
	bool same = a->size == b->size;
	int r = 1;

	reader_rewind(a);
	reader_rewind(b);
	for (size_t y = 1; r > 0; y++)
		r = compare_next(&t, y, a, b, &same);
	if (r == 0 && !same) {
		buffer_printf(out, " %zu %s, lines %zu to %zu, columns %zu to %zu\n", area->n,
			area->n == 1 ? "cell" : "cells", area->top, area->bottom, area->left,
			area->right);
		buffer_append(out, t.cells.data, t.cells.size);
		if (area->n > CELLS_SHOWN)
			buffer_printf(out, " and %zu more\n", area->n - CELLS_SHOWN);
	}
	buffer_finish_free(&t.cells);
	return r < 0 ? r : !same;
}

struct image {
	struct png_reader *png;
	uint32_t width, height;
};

static bool image_begin(struct reader *r, struct image *ret)
{
	*ret = (struct image){NULL};
	reader_rewind(r);
	return png_reader_open(
		       reader_read_fn, r, r->size, &ret->png, &ret->width, &ret->height, NULL) == 0;
}

/* Of two of the same size. false: one is damaged. */
static bool compare_rows(const struct image *a, const struct image *b, struct area *ret)
{
	for (uint32_t y = 0; y < a->height; y++) {
		const uint8_t *p, *q;

		if (png_reader_row(a->png, &p, NULL) < 0 || png_reader_row(b->png, &q, NULL) < 0)
			return false;
		if (memcmp(p, q, (size_t)a->width * 4) == 0)
			continue;
		for (uint32_t x = 0; x < a->width; x++)
			if (memcmp(p + (size_t)x * 4, q + (size_t)x * 4, 4) != 0)
				grow(ret, x, y);
	}
	return true;
}

bool compare_images(struct reader *a, struct reader *b, struct buffer *out)
{
	struct image x, y = {NULL};
	struct area area = {0};
	bool both = image_begin(a, &x) && image_begin(b, &y);
	bool sides = both && x.width == y.width && x.height == y.height;

	if (sides)
		both = compare_rows(&x, &y, &area);
	png_reader_close(x.png);
	png_reader_close(y.png);
	if (both && !sides)
		buffer_printf(
			out, " %u x %u pixels -> %u x %u\n", x.width, x.height, y.width, y.height);
	else if (both)
		buffer_printf(out, " %zu %s of %u x %u, x %zu to %zu, y %zu to %zu\n", area.n,
			area.n == 1 ? "pixel" : "pixels", x.width, x.height, area.left, area.right,
			area.top, area.bottom);
	return both;
}
