/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/item/uuid.h"
#include "formats/teeworlds/model/fields.h"

/* What becomes of the list of all points: [begin, end) gives way to the new ones. */
struct plan_points {
	const struct tw_map *m;
	struct tw_points old;
	uint32_t begin, end;
	const int32_t (*fresh)[TW_POINT_FULL];
	uint32_t n_fresh;
	uint32_t stride;
	uint32_t n; /* in all */
};

static bool is_envelope(const struct tw_item *it)
{
	return it->ints->n > TW_ENV_COUNT && !it->made;
}

/* Do two envelopes share points? Judged as the items say, whether the points are there or not. */
static bool overlaps(const struct tw_item *a, int64_t begin, int64_t end)
{
	int64_t first = a->ints->v[TW_ENV_START];
	int64_t last = first + a->ints->v[TW_ENV_COUNT];

	return first < last && begin < end && first < end && begin < last;
}

/* Where the new points go: in the old ones' place, or to the end where others use those too. */
static int find_place(struct plan_points *p, uint32_t item, struct error *e)
{
	const struct tw_type *t = tw_type(p->m, TW_ENVELOPE);
	const struct tw_item *own = &p->m->items[item];
	bool shared = false, beyond = false;

	tw_points_range(&p->old, own, &p->begin, &p->end);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tw_item *it = &p->m->items[t->items[i]];

		if (it == own || !is_envelope(it))
			continue;
		shared |= overlaps(it, p->begin, p->end);
		beyond |= overlaps(it, p->old.n, INT64_MAX);
	}
	if (!shared)
		return 0;
	if (beyond)
		return error_of_others(e,
			error_set(e, -EINVAL,
				"other envelopes use these points too, and more than the map has "
				"(%u)",
				p->old.n));
	p->begin = p->end = p->old.n;
	return 0;
}

static bool is_full_after(const struct tw_map *m, uint32_t item, const struct tw_ints *envelope)
{
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);

	if (envelope->v[0] >= TW_ENV_TANGENTS_SINCE)
		return true;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->items[i] != item && !m->items[t->items[i]].made &&
			tw_int(&m->items[t->items[i]], 0, 0) >= TW_ENV_TANGENTS_SINCE)
			return true;
	return false;
}

/* Point i of the new list. */
static void get(const struct plan_points *p, uint32_t i, int32_t ret[TW_POINT_FULL])
{
	if (i < p->begin)
		tw_points_get(&p->old, i, ret);
	else if (i - p->begin < p->n_fresh)
		memcpy(ret, p->fresh[i - p->begin], sizeof(*p->fresh));
	else
		tw_points_get(&p->old, i - p->n_fresh - p->begin + p->end, ret);
}

/* The old point that new point i is, or is in the place of; false: it is one more. */
static bool old_of(const struct plan_points *p, uint32_t i, uint32_t *ret)
{
	*ret = i < p->begin + p->n_fresh ? i : i - p->n_fresh - p->begin + p->end;
	return i < p->begin || i >= p->begin + p->n_fresh || i < p->end;
}

/* The tangents of all points as the item of tangents has them. Where the points have tangents of
 * their own those of the item show nothing, and stay. */
static struct tw_ints *gather_tangents(const struct plan_points *p)
{
	const struct tw_item *own = p->stride == TW_POINT_FULL ? p->old.bezier : NULL;
	struct tw_ints *v = NULL;
	int32_t point[TW_POINT_FULL];
	uint32_t old;

	if ((uint64_t)p->n * TW_POINT_TANGENTS <= INT32_MAX / 4)
		v = tw_ints_new(p->n * TW_POINT_TANGENTS);
	for (uint32_t i = 0; v && i < p->n; i++) {
		const int32_t *from = point + TW_POINT_PLAIN;

		if (own && old_of(p, i, &old))
			from = own->ints->v + (size_t)old * TW_POINT_TANGENTS;
		else
			get(p, i, point);
		memcpy(v->v + (size_t)i * TW_POINT_TANGENTS, from,
			TW_POINT_TANGENTS * sizeof(int32_t));
	}
	return v;
}

/* All points as they are stored; then `rest`, what the old item has after its points. */
static struct tw_ints *gather(const struct plan_points *p, uint32_t rest, const int32_t *tail)
{
	struct tw_ints *v = NULL;
	int32_t point[TW_POINT_FULL];
	uint32_t n = p->stride;

	if ((uint64_t)p->n * n + rest <= INT32_MAX / 4)
		v = tw_ints_new(p->n * n + rest);
	for (uint32_t i = 0; v && i < p->n; i++) {
		get(p, i, point);
		memcpy(v->v + (size_t)i * n, point, n * sizeof(int32_t));
	}
	if (v && rest)
		memcpy(v->v + (size_t)p->n * n, tail, rest * sizeof(int32_t));
	return v;
}

static bool any_set(const struct tw_ints *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->v[i] != 0)
			return true;
	return false;
}

static void put_points(const struct plan_points *p, struct tw_change *c)
{
	const struct tw_item *it = p->old.item;
	uint32_t used = p->old.n * p->old.stride;
	uint32_t rest = it && p->stride == p->old.stride ? it->ints->n - used : 0;
	struct tw_ints *v = gather(p, rest, it ? it->ints->v + used : NULL);

	if (it)
		tw_change_item(c, (uint32_t)(it - p->m->items), v);
	else if (!v || v->n)
		tw_change_add(c, TW_POINTS, 0, v);
	else
		tw_ints_unref(v);
}

/* The item of tangents is kept in step where there is one that counts, and made where tangents
 * would be lost. */
static void put_tangents(const struct plan_points *p, struct tw_change *c)
{
	const struct tw_item *it = tw_uuid_item(p->m, TW_BEZIER, 0);
	CLEANUP(tw_ints_unref) struct tw_ints *v = gather_tangents(p);

	if (v && !p->old.bezier && p->stride == TW_POINT_FULL)
		return;
	if (v && !p->old.bezier && !any_set(v))
		tw_points_drop_tangents(p->m, p->n, c);
	else if (it)
		tw_change_item(c, (uint32_t)(it - p->m->items), TAKE(v));
	else
		tw_change_add_uuid(p->m, c, TW_BEZIER, TAKE(v));
}

/* The starts of the envelopes behind. One without points stands behind too if it comes later. */
static void move_starts(const struct plan_points *p, uint32_t item, struct tw_change *c)
{
	const struct tw_type *t = tw_type(p->m, TW_ENVELOPE);
	bool before = true;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tw_item *it = &p->m->items[t->items[i]];
		int64_t start, moved;

		if (t->items[i] == item)
			before = false;
		if (t->items[i] == item || !is_envelope(it))
			continue;
		start = it->ints->v[TW_ENV_START];
		if (start < p->end ||
			(start == p->begin && before && it->ints->v[TW_ENV_COUNT] == 0))
			continue;
		moved = start + p->n_fresh - (p->end - p->begin);
		if (moved <= INT32_MAX)
			tw_change_int(c, t->items[i], TW_ENV_START, (int32_t)moved);
	}
}

/* A new envelope keeps its points beside it until its number is known. */
static int replace_own(uint32_t item, struct tw_ints *envelope,
	const int32_t (*points)[TW_POINT_FULL], uint32_t n, struct tw_change *c, struct error *e)
{
	struct tw_ints *v = tw_ints_new(n * TW_POINT_FULL);

	if (!v)
		return error_set(e, -ENOMEM, "no memory for the points");
	if (n)
		memcpy(v->v, points, n * sizeof(*points));
	envelope->v[TW_ENV_START] = 0;
	envelope->v[TW_ENV_COUNT] = (int32_t)n;
	tw_change_extra(c, item, v);
	tw_change_item(c, item, tw_ints_ref(envelope));
	return 0;
}

int tw_points_replace(const struct tw_map *m, uint32_t item, struct tw_ints *envelope,
	const int32_t (*points)[TW_POINT_FULL], uint32_t n, struct tw_change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *own = envelope;
	struct plan_points p = {.m = m, .fresh = points, .n_fresh = n};
	int r;

	if (m->items[item].made)
		return replace_own(item, own, points, n, c, e);
	tw_points_of(m, &p.old);
	r = find_place(&p, item, e);
	if (r < 0)
		return r;
	if (n > INT32_MAX - p.old.n)
		return error_of_others(e, error_set(e, -EINVAL, "%u points are too many", n));
	p.n = p.old.n - (p.end - p.begin) + n;
	p.stride = is_full_after(m, item, own) ? TW_POINT_FULL : TW_POINT_PLAIN;
	own->v[TW_ENV_START] = (int32_t)p.begin;
	own->v[TW_ENV_COUNT] = (int32_t)n;
	put_points(&p, c);
	put_tangents(&p, c);
	move_starts(&p, item, c);
	tw_change_item(c, item, TAKE(own));
	return 0;
}
