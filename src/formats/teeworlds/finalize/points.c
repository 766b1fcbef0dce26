/* SPDX-License-Identifier: Zlib */
/* points: the points of all envelopes, in the order of the envelopes. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/item/uuid.h"
#include "formats/teeworlds/model/fields.h"

/* Points in full, each followed by the tangents that an item of their own has for it. */
enum { OWN_TANGENTS = TW_POINT_FULL, GATHERED = TW_POINT_FULL + TW_POINT_TANGENTS };

struct gathered {
	int32_t (*v)[GATHERED];
	uint32_t n, room;
};

static int append(struct gathered *g, const struct tw_points *p, uint32_t i)
{
	const int32_t *tangents;
	int32_t *v;

	if (g->n >= INT32_MAX / 4 / TW_POINT_FULL || !array_room(g->v, g->n, g->room))
		return -ENOMEM;
	v = g->v[g->n++];
	tw_points_get(p, i, v);
	tangents =
		p->bezier ? p->bezier->ints->v + (size_t)i * TW_POINT_TANGENTS : v + TW_POINT_PLAIN;
	memcpy(v + OWN_TANGENTS, tangents, TW_POINT_TANGENTS * sizeof(*v));
	return 0;
}

static int take_envelope(struct finalizing *s, const struct tw_slot *slot, struct gathered *g)
{
	const struct tw_item *it = &s->from->items[slot->item];
	struct tw_item *now = &s->to->items[slot->item];
	uint32_t first = g->n, i, end;
	struct tw_points p;
	struct tw_ints *v;
	int r = 0;

	if (now->ints->n <= TW_ENV_COUNT)
		return 0;
	tw_points_for(s->from, it, &p);
	tw_points_range(&p, it, &i, &end);
	for (; r == 0 && i < end; i++)
		r = append(g, &p, i);
	v = r == 0 ? tw_ints_copy(now->ints, now->ints->n, 0) : NULL;
	if (!v)
		return -ENOMEM;
	v->v[TW_ENV_START] = (int32_t)first;
	v->v[TW_ENV_COUNT] = (int32_t)(g->n - first);
	tw_item_ints(now, v);
	return 0;
}

/* Points that no envelope had stay, behind all others. */
static int take_rest(struct finalizing *s, struct gathered *g)
{
	const struct tw_type *t = tw_type(s->from, TW_ENVELOPE);
	CLEANUP(free) bool *used = NULL;
	struct tw_points p;
	uint32_t begin, end;
	int r = 0;

	tw_points_of(s->from, &p);
	used = calloc((size_t)p.n + 1, sizeof(*used));
	if (!used)
		return -ENOMEM;
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct tw_item *it = &s->from->items[t->items[i]];

		if (it->made || it->ints->n <= TW_ENV_COUNT)
			continue;
		tw_points_range(&p, it, &begin, &end);
		for (; begin < end; begin++)
			used[begin] = true;
	}
	for (uint32_t i = 0; r == 0 && i < p.n; i++)
		if (!used[i])
			r = append(g, &p, i);
	return r;
}

static bool has_tangents(const struct gathered *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		for (int k = TW_POINT_PLAIN; k < TW_POINT_FULL; k++)
			if (g->v[i][k] != 0)
				return true;
	return false;
}

static bool is_full(const struct finalizing *s)
{
	const struct tw_order *r = &s->orders[TW_SORT_ENVELOPE];

	for (uint32_t i = 0; i < r->n_here; i++)
		if (tw_int(&s->to->items[r->slots[i].item], 0, 0) >= TW_ENV_TANGENTS_SINCE)
			return true;
	return false;
}

/* n integers of every point, from one on. */
static struct tw_ints *slice(const struct gathered *g, uint32_t from, uint32_t n)
{
	struct tw_ints *v = tw_ints_new(g->n * n);

	for (uint32_t i = 0; v && i < g->n; i++)
		memcpy(v->v + (size_t)i * n, g->v[i] + from, n * sizeof(int32_t));
	return v;
}

static void put_points(
	const struct finalizing *s, const struct gathered *g, bool full, struct tw_change *c)
{
	const struct tw_item *it = tw_item_at(s->from, TW_POINTS, 0);
	struct tw_ints *v = slice(g, 0, full ? TW_POINT_FULL : TW_POINT_PLAIN);

	if (it)
		tw_change_item(c, (uint32_t)(it - s->from->items), v);
	else if (!v || v->n)
		tw_change_add(c, TW_POINTS, 0, v);
	else
		tw_ints_unref(v);
}

/* Tangents in an item of their own, where there was one or they would be lost. Where the points
 * have theirs those of the item show nothing, and stay. */
static void put_tangents(
	const struct finalizing *s, const struct gathered *g, bool full, struct tw_change *c)
{
	const struct tw_item *it = tw_uuid_item(s->from, TW_BEZIER, 0);
	uint32_t item = it ? (uint32_t)(it - s->from->items) : 0;
	struct tw_points old;

	tw_points_of(s->from, &old);
	if (old.bezier || (!full && has_tangents(g))) {
		bool own = full && old.bezier;
		struct tw_ints *v =
			slice(g, own ? OWN_TANGENTS : TW_POINT_PLAIN, TW_POINT_TANGENTS);

		if (it)
			tw_change_item(c, item, v);
		else
			tw_change_add_uuid(s->to, c, TW_BEZIER, v);
	} else if (!full) {
		tw_points_drop_tangents(s->from, g->n, c);
	}
}

int finalize_points(struct finalizing *s, struct error *e)
{
	const struct tw_order *r = &s->orders[TW_SORT_ENVELOPE];
	CLEANUP(tw_change_free) struct tw_change *c = NULL;
	struct gathered g = {0};
	struct snapshot *to;
	int ret = 0;

	if (!r->changed)
		return 0;
	for (uint32_t i = 0; ret == 0 && i < r->n_here; i++)
		ret = take_envelope(s, &r->slots[i], &g);
	if (ret == 0)
		ret = take_rest(s, &g);
	c = ret == 0 ? tw_change_new(s->to) : NULL;
	if (c) {
		put_points(s, &g, is_full(s), c);
		put_tangents(s, &g, is_full(s), c);
	}
	free(g.v);
	if (!c || c->error)
		return error_set(e, -ENOMEM, "no memory for the points of envelopes");
	to = &s->to->base;
	ret = tw_change_apply(&to, c, e);
	s->to = (struct tw_map *)to;
	return ret;
}
