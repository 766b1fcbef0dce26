/* SPDX-License-Identifier: Zlib */
/* index: which items there are, by type, position and id. */
#include <errno.h>
#include <string.h>

#include "base/refs.h"
#include "formats/teeworlds/model/map.h"

struct tw_index *tw_index_ref(struct tw_index *x)
{
	if (x)
		refs_take(&x->refs);
	return x;
}

void tw_index_unref(struct tw_index *x)
{
	if (!x || !refs_drop(&x->refs))
		return;
	for (size_t i = 0; i < x->n_types; i++) {
		free(x->types[i].items);
		free(x->types[i].by_id);
	}
	free(x->types);
	free(x);
}

/* An item's sort key: where it stands in the raw view. */
struct order {
	uint16_t type, id;
	uint32_t item;
};

static int order_cmp(const void *pa, const void *pb)
{
	const struct order *a = pa, *b = pb;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
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
static void fill_positions(const struct tw_map *m, struct tw_index *x)
{
	struct tw_type *t = NULL;

	for (size_t i = 0; i < x->n_types; i++)
		x->types[i].n = 0;
	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		if (it->removed)
			continue;
		if (!t || t->id != it->type)
			for (t = x->types; t->id != it->type; t++)
				;
		t->items[t->n++] = (uint32_t)i;
	}
}

int tw_map_reindex(struct tw_map *m)
{
	CLEANUP(free) struct order *o = NULL;
	struct tw_index *x = calloc(1, sizeof(*x));
	size_t n = 0;
	int r = -ENOMEM;

	if (x) {
		atomic_init(&x->refs, 1);
		o = malloc((m->n_items ? m->n_items : 1) * sizeof(*o));
	}
	if (o) {
		for (size_t i = 0; i < m->n_items; i++)
			if (!m->items[i].removed)
				o[n++] = (struct order){
					m->items[i].type, m->items[i].id, (uint32_t)i};
		qsort(o, n, sizeof(*o), order_cmp);
		r = build_types(o, n, x);
	}
	if (r < 0) {
		tw_index_unref(x);
		return r;
	}
	fill_positions(m, x);
	x->ordered = true;
	tw_index_unref(m->index);
	m->index = x;
	return 0;
}

void tw_map_order(struct tw_map *m, unsigned type, const uint32_t *items)
{
	const struct tw_type *t = tw_type(m, type);

	m->index->ordered = false;
	memcpy(t->items, items, t->n * sizeof(*items));
}

const struct tw_type *tw_index_type(const struct tw_index *x, unsigned type)
{
	size_t low = 0, high = x->n_types;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (x->types[mid].id < type)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < x->n_types && x->types[low].id == type)
		return &x->types[low];
	return NULL;
}

const struct tw_type *tw_type(const struct tw_map *m, unsigned type)
{
	return tw_index_type(m->index, type);
}

uint32_t tw_count_mounted(const struct tw_map *m, unsigned type)
{
	const struct tw_type *t = tw_type(m, type);
	uint32_t n = t ? t->n : 0;

	while (n && m->items[t->items[n - 1]].made)
		n--;
	return n;
}

int tw_at(const struct tw_map *m, unsigned type, int64_t position, uint32_t *ret)
{
	const struct tw_type *t = tw_type(m, type);

	if (!t || position < 0 || position >= t->n)
		return -ENOENT;
	*ret = t->items[position];
	return 0;
}

const struct tw_item *tw_item_at(const struct tw_map *m, unsigned type, int64_t position)
{
	uint32_t i;

	return tw_at(m, type, position, &i) < 0 ? NULL : &m->items[i];
}

int64_t tw_position(const struct tw_map *m, uint32_t item)
{
	const struct tw_type *t;
	uint32_t low, high;

	if (item >= m->n_items || m->items[item].removed)
		return -1;
	t = tw_type(m, m->items[item].type);
	for (low = 0; !m->index->ordered && low < t->n; low++)
		if (t->items[low] == item)
			return low;
	for (low = 0, high = t->n; low < high;) {
		uint32_t mid = low + (high - low) / 2;

		if (t->items[mid] < item)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int64_t tw_position_after(const struct tw_map *m, unsigned type, uint32_t position)
{
	const struct tw_type *was = tw_index_type(m->origin ? m->origin : m->index, type);

	if (!was || position >= was->n || m->items[was->items[position]].made)
		return -1;
	return tw_position(m, was->items[position]);
}
