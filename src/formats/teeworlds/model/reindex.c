/* SPDX-License-Identifier: Zlib */
/* reindex: build the index. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/map.h"

/* The order of items in raw/. */
static int compare_raw(const void *pa, const void *pb, void *arg)
{
	const struct tw_map *m = arg;
	uint32_t i = *(const uint32_t *)pa, k = *(const uint32_t *)pb;
	const struct tw_item *a = &m->items[i], *b = &m->items[k];

	return array_compare(a->type, b->type) ?: array_compare(a->id, b->id) ?: array_compare(i, k);
}

/* Fill x->types from by_id, which is sorted by type. */
static int build_types(const struct tw_map *m, struct tw_index *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_listed; i++)
		n += !i || m->items[x->by_id[i]].type != m->items[x->by_id[i - 1]].type;
	x->types = calloc(n + 1, sizeof(*x->types));
	if (!x->types)
		return -ENOMEM;
	for (size_t i = 0; i < x->n_listed; i++) {
		uint16_t type = m->items[x->by_id[i]].type;

		if (!x->n_types || x->types[x->n_types - 1].id != type)
			x->types[x->n_types++] = (struct tw_type){
				.id = type, .items = x->listed + i, .by_id = x->by_id + i};
	}
	return 0;
}

/* Positions ascend with handles, so one pass over the handles fills all lists. */
static void fill_positions(const struct tw_map *m, struct tw_index *x)
{
	struct tw_type *t = NULL;

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		x->positions[i] = UINT32_MAX;
		if (it->is_removed)
			continue;
		if (!t || t->id != it->type)
			t = &x->types[tw_index_from(x, it->type)];
		x->positions[i] = t->n;
		t->items[t->n++] = (uint32_t)i;
		t->n_base += !it->made_name;
	}
}

/* Do the points of this envelope, as stored in the item of all points, have tangents? An envelope
 * with own points keeps its old version there (TW_OWN_VERSION). */
static bool has_tangents(const struct tw_item *envelope)
{
	const struct tw_ints *v = envelope->own_data ? envelope->own_data : envelope->ints;

	return v->n && v->v[0] >= TW_ENV_TANGENTS_SINCE;
}

bool tw_any_tangents(const struct tw_map *m)
{
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);

	for (uint32_t i = 0; t && i < t->n_base; i++)
		if (has_tangents(&m->items[t->items[i]]))
			return true;
	return false;
}

static int list_types(const struct tw_map *m, struct tw_index *x)
{
	int r;

	x->n_items = m->n_items;
	x->listed = malloc((m->n_items + 1) * sizeof(*x->listed));
	x->by_id = malloc((m->n_items + 1) * sizeof(*x->by_id));
	x->positions = malloc((m->n_items + 1) * sizeof(*x->positions));
	if (!x->listed || !x->by_id || !x->positions)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_items; i++)
		if (!m->items[i].is_removed)
			x->by_id[x->n_listed++] = (uint32_t)i;
	qsort_r(x->by_id, x->n_listed, sizeof(*x->by_id), compare_raw, (void *)m);
	r = build_types(m, x);
	if (r == 0)
		fill_positions(m, x);
	return r;
}

int tw_map_reindex(struct tw_map *m)
{
	struct tw_index *x = calloc(1, sizeof(*x));
	int r;

	if (!x)
		return -ENOMEM;
	atomic_init(&x->refs, 1);
	r = list_types(m, x);
	if (r < 0) {
		tw_index_unref(x);
		return r;
	}
	tw_index_unref(m->index);
	m->index = x;
	x->has_tangents = tw_any_tangents(m);
	r = tw_index_uuids(m);
	return r < 0 ? r : tw_index_groups(m);
}

bool tw_index_differs(const struct tw_map *m, const struct tw_item *it, const struct tw_item *then)
{
	const struct tw_ints *fresh = then->ints;
	bool is_auto = it->ints->n >= TW_AUTO_LENGTH;

	if (it->type == TW_UUID_INDEX)
		return true;
	if (it->type == TW_ENVELOPE)
		return has_tangents(it) != has_tangents(then);
	if (it->type == TW_GROUP)
		return tw_get_int(it, TW_GROUP_START, 0) != tw_get_int(then, TW_GROUP_START, 0) ||
		       tw_get_int(it, TW_GROUP_COUNT, 0) != tw_get_int(then, TW_GROUP_COUNT, 0);
	if (it->type != tw_uuid_type(m, TW_AUTOMAPPER))
		return false;
	return is_auto != (fresh->n >= TW_AUTO_LENGTH) ||
	       (is_auto && (it->ints->v[TW_AUTO_GROUP] != fresh->v[TW_AUTO_GROUP] ||
				   it->ints->v[TW_AUTO_LAYER] != fresh->v[TW_AUTO_LAYER]));
}

int tw_map_reorder(struct tw_map *m, unsigned type, const uint32_t *items)
{
	const struct tw_type *t = tw_type(m, type);

	memcpy(t->items, items, t->n * sizeof(*items));
	for (uint32_t i = 0; i < t->n; i++)
		m->index->positions[items[i]] = i;
	return type == TW_GROUP ? tw_index_groups(m) : 0;
}
