/* SPDX-License-Identifier: Zlib */
/* Rectangles are cut at the widest gap in their rows or columns, again and again, and those that
 * are too large without one in the middle. */
#include "cli/differing/places.h"

#include <errno.h>

#include "base/array.h"

int places_add(struct places *p, const struct review_cell *c)
{
	if (p->n_cells == PLACE_CELLS_MAX) {
		p->many = true;
		return 0;
	}
	if (!array_room(p->cells, p->n_cells, p->room_cells))
		return -ENOMEM;
	p->cells[p->n_cells++] = (struct place_cell){c->x, c->y, c->mark};
	return 0;
}

void places_finish(struct places *p)
{
	free(p->cells);
	free(p->at);
	*p = (struct places){0};
}

static int by_row(const void *a, const void *b)
{
	const struct place_cell *p = a, *q = b;
	int r = (p->y > q->y) - (p->y < q->y);

	return r ? r : (p->x > q->x) - (p->x < q->x);
}

static int by_column(const void *a, const void *b)
{
	const struct place_cell *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static int by_number(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	int r = (p->n < q->n) - (p->n > q->n);

	return r ? r : (p->from > q->from) - (p->from < q->from);
}

static void join_same(struct places *p)
{
	size_t n = 0;

	qsort(p->cells, p->n_cells, sizeof(*p->cells), by_row);
	for (size_t i = 0; i < p->n_cells; i++) {
		struct place_cell *c = &p->cells[i];

		if (!n || by_row(c, &p->cells[n - 1]) != 0)
			p->cells[n++] = *c;
		else if (p->cells[n - 1].mark != c->mark)
			p->cells[n - 1].mark = REVIEW_CHANGED;
	}
	p->n_cells = n;
}

/* Where the tiles, in order of that side, are cut: before which of them; 0: nowhere. */
struct cut {
	uint32_t gap; /* rows or columns without any */
	size_t at;
};

static struct cut find_cut(const struct place_cell *c, size_t n, bool columns, uint32_t most)
{
	uint32_t first = columns ? c->x : c->y, last = columns ? c[n - 1].x : c[n - 1].y;
	struct cut gap = {0}, half = {0};

	for (size_t i = 1; i < n; i++) {
		uint32_t a = columns ? c[i - 1].x : c[i - 1].y, b = columns ? c[i].x : c[i].y;

		if (b > a && b - a - 1 >= PLACE_GAP && b - a - 1 > gap.gap)
			gap = (struct cut){b - a - 1, i};
		if (!half.at && b - first > (last - first) / 2)
			half.at = i;
	}
	return gap.at || last - first < most ? gap : half;
}

static struct place measure(const struct place_cell *c, size_t from, size_t n)
{
	struct place p = {from, n, UINT32_MAX, 0, c[from].y, c[from + n - 1].y};

	for (size_t i = from; i < from + n; i++) {
		p.left = c[i].x < p.left ? c[i].x : p.left;
		p.right = c[i].x > p.right ? c[i].x : p.right;
	}
	return p;
}

static int add(struct places *p, size_t from, size_t n)
{
	if (!array_room(p->at, p->n, p->room))
		return -ENOMEM;
	p->at[p->n++] = (struct place){.from = from, .n = n};
	return 0;
}

/* Cuts the i-th, or measures it where there is nothing to cut. */
static int split(struct places *p, size_t *i)
{
	struct place *at = &p->at[*i];
	struct place_cell *c = p->cells + at->from;
	struct cut rows = find_cut(c, at->n, false, PLACE_HEIGHT), columns;

	qsort(c, at->n, sizeof(*c), by_column);
	columns = find_cut(c, at->n, true, PLACE_WIDTH);
	if (columns.at && (!rows.at || columns.gap > rows.gap)) {
		rows = columns;
		qsort(c, rows.at, sizeof(*c), by_row);
		qsort(c + rows.at, at->n - rows.at, sizeof(*c), by_row);
	} else {
		qsort(c, at->n, sizeof(*c), by_row);
	}
	if (!rows.at) {
		*at = measure(p->cells, at->from, at->n);
		++*i;
		return 0;
	}
	at->n -= rows.at;
	at->from += rows.at;
	return add(p, at->from - rows.at, rows.at);
}

int places_find(struct places *p)
{
	int r;

	if (!p->n_cells)
		return 0;
	join_same(p);
	r = add(p, 0, p->n_cells);
	for (size_t i = 0; r == 0 && i < p->n;)
		r = split(p, &i);
	if (r == 0)
		qsort(p->at, p->n, sizeof(*p->at), by_number);
	return r;
}
