/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/item/uuid.h"

enum { OWN_TANGENTS = TW_POINT_FULL };

int tw_points_append_new(struct tw_point_list *l, const struct tw_points *p, uint32_t at,
	const int32_t point[TW_POINT_FULL])
{
	const int32_t *tangents = point + TW_POINT_PLAIN;
	int32_t *v;

	if (l->n >= INT32_MAX / 4 / TW_POINT_FULL || !array_reserve(l->v, l->n, l->room))
		return -ENOMEM;
	if (p->bezier && at < p->n)
		tangents = p->bezier->ints->v + (size_t)at * TW_POINT_TANGENTS;
	v = l->v[l->n++];
	memcpy(v, point, TW_POINT_FULL * sizeof(*v));
	memcpy(v + OWN_TANGENTS, tangents, TW_POINT_TANGENTS * sizeof(*v));
	return 0;
}

int tw_points_append(
	struct tw_point_list *l, const struct tw_points *p, uint32_t begin, uint32_t end)
{
	int32_t point[TW_POINT_FULL];
	int r = 0;

	for (; r == 0 && begin < end; begin++) {
		tw_points_get(p, begin, point);
		r = tw_points_append_new(l, p, begin, point);
	}
	return r;
}

static bool has_tangents(const struct tw_point_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		for (int k = TW_POINT_PLAIN; k < TW_POINT_FULL; k++)
			if (l->v[i][k] != 0)
				return true;
	return false;
}

/* Create integers from `n` integers of each point, starting at `from`, and `rest` zeros. */
static struct tw_ints *slice_points(
	const struct tw_point_list *l, uint32_t from, uint32_t n, uint32_t rest)
{
	struct tw_ints *v = tw_ints_new(l->n * n + rest);

	for (uint32_t i = 0; v && i < l->n; i++)
		memcpy(v->v + (size_t)i * n, l->v[i] + from, n * sizeof(int32_t));
	return v;
}

/* Write the item of all points. Integers after the points stay if the stride is the same. */
static void write_points(
	const struct tw_point_list *l, const struct tw_points *old, bool full, struct tw_change *c)
{
	const struct tw_item *it = old->item;
	uint32_t stride = full ? TW_POINT_FULL : TW_POINT_PLAIN, used = old->n * old->stride;
	uint32_t rest = it && stride == old->stride ? it->ints->n - used : 0;
	CLEANUP(tw_ints_unref) struct tw_ints *v = slice_points(l, 0, stride, rest);

	if (v && rest)
		memcpy(v->v + (size_t)l->n * stride, it->ints->v + used, rest * sizeof(int32_t));
	if (it)
		tw_change_set_ints(c, (uint32_t)(it - c->base->items), TAKE(v));
	else if (!v || v->n)
		tw_change_add_item(c, TW_POINTS, 0, TAKE(v));
}

/* The UUID item of tangents is written if there was one, or if plain points would lose tangents. If
 * points are full, a game ignores it, and it keeps its values. */
void tw_points_write(const struct tw_point_list *l, bool full, struct tw_change *c)
{
	const struct tw_item *it = tw_uuid_item(c->base, TW_BEZIER, 0);
	uint32_t item = it ? (uint32_t)(it - c->base->items) : 0;
	struct tw_points old;
	struct tw_ints *v;

	tw_points_get_all(c->base, &old);
	/* This may add an item, which moves the array of items, so `it` is invalid after it. */
	write_points(l, &old, full, c);
	if (!old.bezier && (full || !has_tangents(l))) {
		if (!full)
			tw_points_drop_tangents(c->base, l->n, c);
		return;
	}
	v = slice_points(
		l, full && old.bezier ? OWN_TANGENTS : TW_POINT_PLAIN, TW_POINT_TANGENTS, 0);
	if (it)
		tw_change_set_ints(c, item, v);
	else
		tw_change_add_uuid(c, TW_BEZIER, v);
}
