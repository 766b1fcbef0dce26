/* SPDX-License-Identifier: Zlib */
#include "cli/differing/layers.h"

#include <errno.h>
#include <string.h>

#include "cli/differing/page.h"

void layers_finish(struct layers *l)
{
	places_finish(&l->seen);
	places_finish(&l->played);
}

/* The same but for where they stand. */
static bool is_alike(const struct review_cell *a, const struct review_cell *b)
{
	return a->mark == b->mark && a->fields == b->fields && a->before.id == b->before.id &&
	       a->after.id == b->after.id && a->before.number == b->before.number &&
	       a->after.number == b->after.number;
}

static void add_row(struct layer *l, const struct review_cell *c)
{
	size_t i = 0;

	while (i < l->n_rows && !is_alike(&l->rows[i].of, c))
		i++;
	if (i == LAYER_ROWS_MAX) {
		l->rest++;
		return;
	}
	if (i == l->n_rows)
		l->rows[l->n_rows++] = (struct layer_row){.of = *c};
	area_add(&l->rows[i].area, c->x, c->y);
}

static void add_cell(void *arg, const struct review_cell *c)
{
	struct differences *d = arg;
	struct layer *l = &d->layers->layer;

	if (d->images >= 0)
		places_add(l->kind ? &d->layers->played : &d->layers->seen, c);
	l->n[c->mark]++;
	area_add(&l->area, c->x, c->y);
	if (l->kind)
		add_row(l, c);
}

static const struct snapshot *map_of(const struct differences *d, enum which w)
{
	return d->m.sides[w].tree.vol->now;
}

/* ENTRY_ROOT: there is no such layer of tiles. */
static entry_id find_layer(
	struct differences *d, enum which w, const struct item *i, const char **ret_kind)
{
	struct seen a;

	if (!i || !i->dir || offline_find(&d->m.sides[w].tree, i->path, &a) < 0 ||
		!differences_review(d)->layer(map_of(d, w), a.spot.id, ret_kind))
		return ENTRY_ROOT;
	return a.spot.id;
}

static void look_at(struct differences *d, const struct item *before, const struct item *after)
{
	struct layer *l = &d->layers->layer;
	entry_id x, y;
	int r;

	memset(l, 0, sizeof(*l));
	l->item = after ? after : before;
	x = find_layer(d, BASE, before, &l->kind);
	y = find_layer(d, OURS, after, &l->kind);
	if (x == ENTRY_ROOT && y == ENTRY_ROOT)
		return;
	r = differences_review(d)->cells(map_of(d, BASE), x, map_of(d, OURS), y, add_cell, d, NULL);
	if (r < 0)
		differences_fail(d, after ? OURS : BASE, l->item, r);
	if (d->page && l->area.n)
		page_layer(d, l);
}

/* All layers of a directory that only one map has. */
static void look_below(struct differences *d, const struct item *before, const struct item *after)
{
	const struct item *i = after ? after : before;

	look_at(d, before, after);
	for (size_t k = 0; k < i->n; k++)
		if (i->below[k]->dir)
			look_below(d, before ? i->below[k] : NULL, after ? i->below[k] : NULL);
}

void layers_look(struct differences *d, struct difference *x)
{
	const struct item *i = difference_item(x), *dir = i->dir ? i : i->up;
	const char *dot = strrchr(i->path, '.');
	const struct merged *of = dir->of;
	bool is_layer;

	if (!differences_review(d))
		return;
	is_layer = find_layer(d, x->after ? OURS : BASE, dir, &x->played) != ENTRY_ROOT;
	x->table = is_layer && !i->dir && dot && strcmp(dot, ".csv") == 0;
	if (i->dir && (!x->before || !x->after)) {
		look_below(d, x->before, x->after);
	} else if (is_layer && !i->dir && of != d->layers->last) {
		d->layers->last = of;
		look_at(d, of->at[BASE], of->at[OURS]);
	}
}
