/* SPDX-License-Identifier: Zlib */
/* Compare cells of tables, and pixels of images. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "codec/image/png.h"
#include "tools/compare/compare.h"
#include "tools/compare/seq.h"

enum { CELLS_SHOWN = 10, PIECE = 64 << 10 };

/* Get the next cell of a line. *at is past the end after the last one. */
static bool next_cell(const char **at, const char *end, struct span *ret)
{
	const char *from = *at, *to;

	if (from > end)
		return false;
	to = memchr(from, ',', (size_t)(end - from));
	to = to ? to : end;
	*at = to + 1;
	while (from < to && *from == ' ')
		from++;
	*ret = (struct span){from, (size_t)(to - from)};
	return true;
}

struct table {
	struct reader *a, *b;
	struct shape of_a, of_b;
	bool grid;    /* both are tables of a layer */
	bool resized; /* the sizes of the two tables differ */
	bool same;
	struct area area; /* changed cells that both have */
	size_t outer;     /* number of cells other than 0 that only one has */
	enum detail_length much;
	struct buffer *to; /* where to append the first changed cells */
	size_t most;       /* their maximum; SIZE_MAX: all, and cells that only one has */
};

static void print_cell(struct table *t, size_t x, size_t y, struct span c, struct span d)
{
	const struct area_text cell = area_text_of_table(area_at(x, y));

	if (t->grid)
		buffer_printf(t->to, " %s (%s): ", area_text(area_at(x, y)).text, cell.text);
	else
		buffer_printf(t->to, " %s: ", cell.text);
	buffer_printf(t->to, "%.*s -> %.*s\n", (int)detail_bytes(t->much, c.at, c.n), c.at,
		(int)detail_bytes(t->much, d.at, d.n), d.at);
}

/* Compare two lines; NULL is a line without cells. Returns false if one has more cells than it may.
 */
static bool compare_line(
	struct table *t, size_t y, const char *p, size_t n, const char *q, size_t m)
{
	const char *p_end = p ? p + n : p, *q_end = q ? q + m : q;

	for (size_t x = 0;; x++) {
		struct span c = {"-", 1}, d = c;
		bool in_a = p && next_cell(&p, p_end, &c), in_b = q && next_cell(&q, q_end, &d);
		const struct span *only = in_a ? &c : &d;

		if (!in_a && !in_b)
			return true;
		if (in_a && in_b) {
			if (span_same(c, d))
				continue;
			area_add(&t->area, x, y);
			if (t->area.n <= t->most)
				print_cell(t, x, y, c, d);
			continue;
		}
		if (!t->resized)
			return false;
		if (only->n == 1 && only->at[0] == '0')
			continue;
		t->outer++;
		if (t->most == SIZE_MAX)
			print_cell(t, x, y, c, d);
	}
}

/* Compare the next lines. Returns 1, or 0 at the end of both. -ENOTSUP: the shapes differ. */
static int compare_next(struct table *t, size_t y)
{
	const char *p = NULL, *q = NULL;
	size_t n = 0, m = 0;
	int r = reader_line(t->a, &p, &n), s = reader_line(t->b, &q, &m);

	if (r < 0 || s < 0)
		return r < 0 ? r : s;
	if (r != s && !t->resized)
		return -ENOTSUP;
	if (r == 0 && s == 0)
		return 0;
	if (r == s && n == m && memcmp(p, q, n) == 0)
		return 1;
	t->same = false;
	if (!compare_line(t, y, r ? p : NULL, n, s ? q : NULL, m))
		return -ENOTSUP;
	return t->much != DETAIL_PAGE && t->to->size > PIECE && output_text(t->to) < 0 ? -EIO : 1;
}

static int compare_lines(struct table *t, struct buffer *to, size_t most)
{
	int r = 1;

	t->area = (struct area){0};
	t->outer = 0;
	t->to = to;
	t->most = most;
	reader_rewind(t->a);
	reader_rewind(t->b);
	for (size_t y = 0; r > 0; y++)
		r = compare_next(t, y);
	return r;
}

static void print_area(const struct table *t, struct buffer *out)
{
	const struct area *area = &t->area;

	if (t->resized)
		buffer_printf(out, " %zu x %zu cells -> %zu x %zu cells, %s\n", t->of_a.width,
			t->of_a.height, t->of_b.width, t->of_b.height,
			area->n ? "in the common area:" : "equal in the common area");
	if (area->n || !t->resized)
		buffer_printf(out, " %ju %s, %s\n", (uintmax_t)area->n,
			area->n == 1 ? "cell" : "cells",
			(t->grid ? area_text(*area) : area_text_of_table(*area)).text);
}

int compare_tables(struct reader *a, struct reader *b, enum detail_length much, struct buffer *out)
{
	CLEANUP_BUFFER struct buffer cells = BUFFER_INIT;
	struct table t = {.a = a, .b = b, .same = a->size == b->size, .much = much};
	int r = reader_grid(a, &t.of_a), s = r > 0 ? reader_grid(b, &t.of_b) : r;

	t.grid = s > 0;
	t.resized = t.grid && (t.of_a.width != t.of_b.width || t.of_a.height != t.of_b.height);
	r = s < 0 ? s : compare_lines(&t, &cells, much == DETAIL_ALL ? 0 : CELLS_SHOWN);
	if (r < 0 || t.same)
		return r;
	if (!t.resized && !t.area.n)
		return 0;
	print_area(&t, out);
	if (much == DETAIL_ALL) {
		r = compare_lines(&t, out, SIZE_MAX);
		return r < 0 ? r : 1;
	}
	buffer_append(out, cells.data, cells.size);
	if (t.area.n > CELLS_SHOWN)
		buffer_printf(out, " and %ju more\n", (uintmax_t)t.area.n - CELLS_SHOWN);
	if (t.outer)
		buffer_printf(out, " %zu %s not 0\n", t.outer,
			t.outer == 1 ? "cell outside the common area is"
				     : "cells outside the common area are");
	return 1;
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

/* Compare images of equal size. Returns false if one is damaged. */
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
				area_add(ret, x, y);
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
		both = compare_rows(&x, &y, &area) && area.n;
	png_reader_close(x.png);
	png_reader_close(y.png);
	if (both && !sides)
		buffer_printf(
			out, " %u x %u pixels -> %u x %u\n", x.width, x.height, y.width, y.height);
	else if (both)
		buffer_printf(out, " %ju %s of %u x %u, %s\n", (uintmax_t)area.n,
			area.n == 1 ? "pixel" : "pixels", x.width, x.height, area_text(area).text);
	return both;
}

int compare_bytes(struct reader *a, struct reader *b, struct reader **ret_failed)
{
	const char *p, *q;
	size_t n, m;
	int r;

	reader_rewind(a);
	reader_rewind(b);
	/* The end of a piece depends only on the bytes, so equal files have equal pieces. */
	do {
		*ret_failed = a;
		r = reader_next(a, PIECE, &p, &n);
		if (r < 0)
			return r;
		*ret_failed = b;
		r = reader_next(b, PIECE, &q, &m);
		if (r < 0)
			return r;
	} while (n && n == m && memcmp(p, q, n) == 0);
	return n == 0 && m == 0;
}
