/* SPDX-License-Identifier: Zlib */
/* A rectangle that is too large is cut at the widest gap in its columns or rows. */
#include "cli/differing/places.h"

#include <errno.h>

#include "base/array.h"

void places_add(struct places *p, const struct review_cell *c)
{
	if (p->n_cells == PLACE_CELLS_MAX || !array_room(p->cells, p->n_cells, p->room_cells))
		p->many = true;
	else
		p->cells[p->n_cells++] = (struct place_cell){c->x, c->y, c->mark};
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
	int r = (p->area.n < q->area.n) - (p->area.n > q->area.n);

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

/* Before which of the cells, in order of that side, they are cut: of equal gaps at the one in the
 * middle. */
static size_t find_cut(const struct place_cell *c, size_t n, bool columns)
{
	uint64_t ends = columns ? (uint64_t)c->x + c[n - 1].x : (uint64_t)c->y + c[n - 1].y;
	uint64_t widest = 0, least = 0;
	size_t at = 0;

	for (size_t i = 1; i < n; i++) {
		uint64_t a = columns ? c[i - 1].x : c[i - 1].y, b = columns ? c[i].x : c[i].y;
		uint64_t off = a + b > ends ? a + b - ends : ends - a - b;

		if (b - a > widest || (b - a == widest && off < least)) {
			widest = b - a;
			least = off;
			at = i;
		}
	}
	return at;
}

/* Adds cells from `from` on as a place, which may be too large. */
static int add(struct places *p, size_t from, size_t n)
{
	struct place *at;

	if (!array_room(p->at, p->n, p->room))
		return -ENOMEM;
	at = &p->at[p->n++];
	*at = (struct place){.from = from};
	for (size_t i = from; i < from + n; i++)
		area_add(&at->area, p->cells[i].x, p->cells[i].y);
	return 0;
}

int places_find(struct places *p)
{
	size_t done = 0;
	int r;

	if (!p->n_cells)
		return 0;
	join_same(p);
	r = add(p, 0, p->n_cells);
	while (r == 0 && done < p->n) {
		struct place at = p->at[done];
		struct place_cell *c = p->cells + at.from;
		bool columns = at.area.right - at.area.left >= PLACE_WIDTH;
		size_t cut;

		if (!columns && at.area.bottom - at.area.top < PLACE_HEIGHT) {
			done++;
			continue;
		}
		qsort(c, at.area.n, sizeof(*c), columns ? by_column : by_row);
		cut = find_cut(c, at.area.n, columns);
		p->at[done] = p->at[--p->n];
		r = add(p, at.from, cut);
		if (r == 0)
			r = add(p, at.from + cut, at.area.n - cut);
	}
	if (r == 0)
		qsort(p->at, p->n, sizeof(*p->at), by_number);
	return r;
}
