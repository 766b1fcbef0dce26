/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/fields.h"

/* An envelope and its range in the old item of all points. */
struct range {
	uint32_t item;
	bool has_new, is_appended; /* has own points; they come last (TW_OWN_APPENDED) */
	int64_t begin;             /* if !has_new: the item's value, even if out of range */
	int64_t end;
};

struct deriving {
	struct tw_change *c;
	struct tw_points old;
	uint32_t taken; /* old points before this one are copied or replaced */
	struct tw_point_list list;
};

static void find_range(
	const struct tw_map *m, const struct tw_points *old, uint32_t item, struct range *ret)
{
	const struct tw_item *it = &m->items[item];
	uint32_t begin, end;

	*ret = (struct range){.item = item, .has_new = it->own_data};
	ret->is_appended = ret->has_new && it->own_data->v[TW_OWN_APPENDED];
	tw_points_stored(old, it, &begin, &end);
	ret->begin = begin;
	ret->end = end;
	if (ret->is_appended)
		ret->begin = ret->end = old->n;
	else if (!ret->has_new)
		ret->begin = tw_get_int(it, TW_ENV_START, 0);
}

/* Order by begin, appended ones last. At the same begin, envelopes without points come first. */
static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	bool is_filled_x = x->begin < x->end, is_filled_y = y->begin < y->end;

	if (x->is_appended != y->is_appended)
		return x->is_appended ? 1 : -1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (is_filled_x != is_filled_y)
		return is_filled_x ? 1 : -1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static int list_ranges(const struct deriving *d, struct range **ret, size_t *ret_n)
{
	const struct tw_map *m = d->c->base;
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);

	*ret = malloc((t->n_base + 1) * sizeof(**ret));
	*ret_n = 0;
	for (uint32_t i = 0; *ret && i < t->n_base; i++)
		if (m->items[t->items[i]].ints->n > TW_ENV_COUNT)
			find_range(m, &d->old, t->items[i], &(*ret)[(*ret_n)++]);
	if (!*ret)
		return -ENOMEM;
	qsort(*ret, *ret_n, sizeof(**ret), compare_ranges);
	return 0;
}

static int append_old(struct deriving *d, uint32_t end)
{
	uint32_t begin = d->taken;

	if (begin >= end)
		return 0;
	d->taken = end;
	return tw_points_append(&d->list, &d->old, begin, end);
}

/* Append own points. A point that replaces one keeps that one's tangents in the UUID item. */
static int append_own(struct deriving *d, const struct range *g)
{
	struct tw_points own;
	int32_t point[TW_POINT_FULL];
	int r = 0;

	tw_points_get_envelope(d->c->base, &d->c->base->items[g->item], &own);
	for (uint32_t i = 0; r == 0 && i < own.n; i++) {
		int64_t at = g->begin + i;

		tw_points_get(&own, i, point);
		r = tw_points_append_new(
			&d->list, &d->old, at < g->end ? (uint32_t)at : UINT32_MAX, point);
	}
	if (d->taken < g->end)
		d->taken = (uint32_t)g->end;
	return r;
}

static int append_range(struct deriving *d, const struct range *g)
{
	int64_t first = g->begin < 0 ? 0 : g->begin > d->old.n ? d->old.n : g->begin;
	int r = append_old(d, (uint32_t)first);
	int64_t start = d->list.n + (g->begin - first);

	if (r < 0)
		return r;
	if (start <= INT32_MAX)
		tw_change_set_int(d->c, g->item, TW_ENV_START, (int32_t)start);
	if (!g->has_new)
		return 0;
	r = append_own(d, g);
	tw_change_set_int(d->c, g->item, TW_ENV_COUNT, (int32_t)(d->list.n - start));
	tw_change_set_extra(d->c, g->item, NULL);
	return r;
}

bool tw_points_have_own(const struct tw_map *m)
{
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);

	for (uint32_t i = 0; t && i < t->n_base; i++)
		if (m->items[t->items[i]].own_data)
			return true;
	return false;
}

int tw_points_derive(struct tw_change *c, struct error *e)
{
	CLEANUP(free) struct range *ranges = NULL;
	struct deriving d = {.c = c};
	size_t n = 0;
	int r;

	if (!tw_points_have_own(c->base))
		return 0;
	tw_points_get_all(c->base, &d.old);
	r = list_ranges(&d, &ranges, &n);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = append_range(&d, &ranges[i]);
	if (r == 0)
		r = append_old(&d, d.old.n);
	if (r == 0)
		tw_points_write(&d.list, tw_any_tangents(c->base), c);
	free(d.list.v);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}
