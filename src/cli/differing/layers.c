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
	area_add(&l->rows[i].area, (size_t)c->x + 1, (size_t)c->y + 1);
}

static void add_cell(void *arg, const struct review_cell *c)
{
	struct layers *all = arg;
	struct layer *l = &all->layer;
	struct places *p = l->kind ? &all->played : &all->seen;
	int r = all->placed ? places_add(p, c) : 0;

	all->error = r < 0 ? r : all->error;
	l->n[c->mark]++;
	area_add(&l->area, (size_t)c->x + 1, (size_t)c->y + 1);
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

static int look_at(struct differences *d, const struct item *before, const struct item *after)
{
	struct layers *all = d->layers;
	struct layer *l = &all->layer;
	struct error e = ERROR_INIT;
	entry_id x, y;
	int r;

	memset(l, 0, sizeof(*l));
	l->before = before;
	l->after = after;
	x = find_layer(d, BASE, before, &l->kind);
	y = find_layer(d, OURS, after, &l->kind);
	if (x == ENTRY_ROOT && y == ENTRY_ROOT)
		return 0;
	r = differences_review(d)->cells(map_of(d, BASE), x, map_of(d, OURS), y, add_cell, all, &e);
	if (r < 0) {
		differences_fail(d, after ? OURS : BASE, after ? after : before, r);
		error_clear(&e);
	}
	if (all->error == 0 && d->page && l->area.n)
		page_layer(d, l);
	return all->error;
}

/* All layers of a directory that only one map has. */
static int look_below(struct differences *d, const struct item *before, const struct item *after)
{
	const struct item *i = after ? after : before;
	int r = look_at(d, before, after);

	for (size_t k = 0; r == 0 && k < i->n; k++)
		if (i->below[k]->dir)
			r = look_below(d, before ? i->below[k] : NULL, after ? i->below[k] : NULL);
	return r;
}

int layers_look(struct differences *d, struct difference *x)
{
	const struct item *i = difference_item(x), *dir = i->dir ? i : i->up;
	size_t n = strlen(i->path);
	const struct merged *of = dir->of;
	bool is_layer;

	if (!differences_review(d))
		return 0;
	is_layer = find_layer(d, x->after ? OURS : BASE, dir, &x->played) != ENTRY_ROOT;
	x->table = is_layer && !i->dir && n > 4 && strcmp(i->path + n - 4, ".csv") == 0;
	if (i->dir && (!x->before || !x->after))
		return look_below(d, x->before, x->after);
	if (!is_layer || i->dir || of == d->layers->last)
		return 0;
	d->layers->last = of;
	return look_at(d, of->at[BASE], of->at[OURS]);
}
