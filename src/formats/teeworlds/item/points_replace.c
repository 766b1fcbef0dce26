/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/fields.h"

/* Points [begin, end) of all give way to the new ones. */
struct replacing {
	const struct tw_map *m;
	struct tw_points old;
	uint32_t begin, end;
	uint32_t n_fresh;
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
static int find_place(struct replacing *p, uint32_t item, struct error *e)
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

/* The starts of the envelopes behind. One without points stands behind too if it comes later. */
static void move_starts(const struct replacing *p, uint32_t item, struct tw_change *c)
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

static int append_all(
	const struct replacing *p, const int32_t (*points)[TW_POINT_FULL], struct tw_point_list *l)
{
	int r = tw_points_append(l, &p->old, 0, p->begin);

	for (uint32_t i = 0; r == 0 && i < p->n_fresh; i++) {
		uint32_t at = p->begin + i;

		r = tw_points_append_new(l, &p->old, at < p->end ? at : UINT32_MAX, points[i]);
	}
	return r < 0 ? r : tw_points_append(l, &p->old, p->end, p->old.n);
}

int tw_points_replace(const struct tw_map *m, uint32_t item, struct tw_ints *envelope,
	const int32_t (*points)[TW_POINT_FULL], uint32_t n, struct tw_change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *own = envelope;
	struct replacing p = {.m = m, .n_fresh = n};
	struct tw_point_list all = {0};
	int r;

	if (m->items[item].made)
		return replace_own(item, own, points, n, c, e);
	tw_points_of(m, &p.old);
	r = find_place(&p, item, e);
	if (r < 0)
		return r;
	if (n > INT32_MAX - p.old.n)
		return error_of_others(e, error_set(e, -EINVAL, "%u points are too many", n));
	own->v[TW_ENV_START] = (int32_t)p.begin;
	own->v[TW_ENV_COUNT] = (int32_t)n;
	r = append_all(&p, points, &all);
	if (r == 0)
		tw_points_write(&all, is_full_after(m, item, own), c);
	free(all.v);
	if (r < 0)
		return error_set(e, r, "no memory for the points");
	move_starts(&p, item, c);
	tw_change_item(c, item, TAKE(own));
	return 0;
}
