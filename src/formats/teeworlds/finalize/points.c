/* SPDX-License-Identifier: Zlib */
/* points: store the points of all envelopes in the order of the envelopes. */
#include <errno.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/fields.h"

static int take_envelope_points(
	struct finalizer *s, const struct tw_slot *slot, struct tw_point_list *g)
{
	const struct tw_item *it = &s->mounted->items[slot->item];
	struct tw_item *fresh = &s->result->items[slot->item];
	uint32_t first = g->n, i, end;
	struct tw_points p;
	struct tw_ints *v;
	int r;

	if (fresh->ints->n <= TW_ENV_COUNT)
		return 0;
	tw_points_get_envelope(s->mounted, it, &p);
	tw_points_range(&p, it, &i, &end);
	r = tw_points_append(g, &p, i, end);
	v = r == 0 ? tw_ints_copy(fresh->ints, fresh->ints->n, 0) : NULL;
	if (!v)
		return -ENOMEM;
	v->v[TW_ENV_START] = (int32_t)first;
	v->v[TW_ENV_COUNT] = (int32_t)(g->n - first);
	tw_item_replace_ints(fresh, v);
	return 0;
}

/* Append the points that no envelope had. */
static int take_unused_points(struct finalizer *s, struct tw_point_list *g)
{
	const struct tw_type *t = tw_type(s->mounted, TW_ENVELOPE);
	CLEANUP(free) bool *used = NULL;
	struct tw_points p;
	uint32_t begin, end;
	int r = 0;

	tw_points_get_all(s->mounted, &p);
	used = calloc((size_t)p.n + 1, sizeof(*used));
	if (!used)
		return -ENOMEM;
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct tw_item *it = &s->mounted->items[t->items[i]];

		if (it->made_name || it->ints->n <= TW_ENV_COUNT)
			continue;
		tw_points_range(&p, it, &begin, &end);
		for (; begin < end; begin++)
			used[begin] = true;
	}
	for (uint32_t i = 0; r == 0 && i < p.n; i++)
		if (!used[i])
			r = tw_points_append(g, &p, i, i + 1);
	return r;
}

static bool has_tangents(const struct finalizer *s)
{
	const struct tw_order *r = &s->orders[TW_SORT_ENVELOPE];

	for (uint32_t i = 0; i < r->n_kept; i++)
		if (tw_get_int(&s->result->items[r->sorted[i]->item], 0, 0) >=
			TW_ENV_TANGENTS_SINCE)
			return true;
	return false;
}

int finalize_points(struct finalizer *s, struct error *e)
{
	const struct tw_order *r = &s->orders[TW_SORT_ENVELOPE];
	struct tw_point_list g = {0};
	int ret = 0;

	if (!r->is_changed)
		return 0;
	for (uint32_t i = 0; ret == 0 && i < r->n_kept; i++)
		ret = take_envelope_points(s, r->sorted[i], &g);
	if (ret == 0)
		ret = take_unused_points(s, &g);
	if (ret == 0)
		tw_points_write(&g, has_tangents(s), s->change);
	free(g.v);
	ret = ret < 0 ? ret : s->change->error;
	return ret < 0 ? error_set(e, ret, "out of memory") : 0;
}
