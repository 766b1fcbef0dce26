/* SPDX-License-Identifier: Zlib */
/* reindex: the index is made. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/map.h"

/* An item's sort key: where it stands in the raw view. */
struct order {
	uint16_t type, id;
	uint32_t item;
};

static int order_cmp(const void *pa, const void *pb)
{
	const struct order *a = pa, *b = pb;

	return array_order(a->type, b->type) ?: array_order(a->id, b->id)
		?: array_order(a->item, b->item);
}

/* Fills one type from n items that are sorted by id; handles grow with the position. */
static int fill_type(const struct order *o, uint32_t n, struct tw_type *t)
{
	t->id = o->type;
	t->items = malloc(n * sizeof(uint32_t));
	t->by_id = malloc(n * sizeof(uint32_t));
	if (!t->items || !t->by_id)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		t->by_id[i] = o[i].item;
	t->n = n;
	return 0;
}

static int build_types(const struct order *o, size_t n, struct tw_index *x)
{
	size_t n_types = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		n_types += i == 0 || o[i].type != o[i - 1].type;
	x->types = calloc(n_types ? n_types : 1, sizeof(*x->types));
	if (!x->types)
		return -ENOMEM;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && o[end].type == o[i].type; end++)
			;
		r = fill_type(o + i, (uint32_t)(end - i), &x->types[x->n_types++]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Positions follow the handles, so one pass in that order fills every list. */
static int fill_positions(const struct tw_map *m, struct tw_index *x)
{
	struct tw_type *t = NULL;

	x->n_items = m->n_items;
	x->positions = malloc((m->n_items ? m->n_items : 1) * sizeof(*x->positions));
	if (!x->positions)
		return -ENOMEM;
	for (size_t i = 0; i < x->n_types; i++)
		x->types[i].n = 0;
	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		x->positions[i] = UINT32_MAX;
		if (it->removed)
			continue;
		if (!t || t->id != it->type)
			t = &x->types[tw_index_from(x, it->type)];
		x->positions[i] = t->n;
		t->items[t->n++] = (uint32_t)i;
		t->n_mounted += !it->made;
	}
	return 0;
}

static bool has_tangents(const struct tw_ints *envelope)
{
	return envelope->n && envelope->v[0] >= TW_ENV_TANGENTS_SINCE;
}

static bool any_tangents(const struct tw_map *m)
{
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);

	for (uint32_t i = 0; t && i < t->n_mounted; i++)
		if (has_tangents(m->items[t->items[i]].ints))
			return true;
	return false;
}

static int list_types(const struct tw_map *m, struct tw_index *x)
{
	CLEANUP(free) struct order *o = malloc((m->n_items ? m->n_items : 1) * sizeof(*o));
	size_t n = 0;
	int r;

	if (!o)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_items; i++)
		if (!m->items[i].removed)
			o[n++] = (struct order){m->items[i].type, m->items[i].id, (uint32_t)i};
	qsort(o, n, sizeof(*o), order_cmp);
	r = build_types(o, n, x);
	return r < 0 ? r : fill_positions(m, x);
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
	x->tangents = any_tangents(m);
	r = tw_index_uuids(m);
	return r < 0 ? r : tw_index_groups(m);
}

bool tw_index_differs(const struct tw_map *m, const struct tw_item *it, const struct tw_ints *fresh)
{
	const struct tw_item then = {.ints = (struct tw_ints *)(uintptr_t)fresh};
	bool is_auto = it->ints->n >= TW_AUTO_LENGTH;

	if (it->type == TW_UUID_INDEX)
		return true;
	if (it->type == TW_ENVELOPE)
		return has_tangents(it->ints) != has_tangents(fresh);
	if (it->type == TW_GROUP)
		return tw_int(it, TW_GROUP_START, 0) != tw_int(&then, TW_GROUP_START, 0) ||
		       tw_int(it, TW_GROUP_COUNT, 0) != tw_int(&then, TW_GROUP_COUNT, 0);
	if (it->type != tw_uuid_type(m, TW_AUTOMAPPER))
		return false;
	return is_auto != (fresh->n >= TW_AUTO_LENGTH) ||
	       (is_auto && (it->ints->v[TW_AUTO_GROUP] != fresh->v[TW_AUTO_GROUP] ||
				   it->ints->v[TW_AUTO_LAYER] != fresh->v[TW_AUTO_LAYER]));
}

int tw_map_order(struct tw_map *m, unsigned type, const uint32_t *items)
{
	const struct tw_type *t = tw_type(m, type);

	memcpy(t->items, items, t->n * sizeof(*items));
	for (uint32_t i = 0; i < t->n; i++)
		m->index->positions[items[i]] = i;
	return type == TW_GROUP ? tw_index_groups(m) : 0;
}
