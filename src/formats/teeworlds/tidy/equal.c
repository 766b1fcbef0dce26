/* SPDX-License-Identifier: Zlib */
/* Images, sounds and envelopes that are there twice: the first is what all refer to. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "codec/blob_equal.h"
#include "codec/zlib/checksum.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/tidy/tidy.h"

/* Two that are the same have the same sum. */
struct looked {
	uint32_t sum, position;
};

/* An object's integers without the numbers of what they name. */
static struct tw_ints *bare(const struct tw_item *it)
{
	uint32_t fields[TW_FIELDS_MAX];
	unsigned n = tw_data_fields(it, fields);
	struct tw_ints *v = tw_ints_copy(it->ints, it->ints->n, 0);

	for (unsigned k = 0; v && k < n; k++)
		v->v[fields[k]] = 0;
	if (v && it->type == TW_ENVELOPE && v->n > TW_ENV_START)
		v->v[TW_ENV_START] = 0;
	return v;
}

static int add_chunk(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	uint32_t *sum = arg;

	(void)e;
	*sum = checksum_crc32(*sum, data, n);
	return 0;
}

static uint32_t add_points(const struct tw_map *m, const struct tw_item *it, uint32_t sum)
{
	int32_t v[TW_POINT_FULL];
	struct tw_points p;
	uint32_t i, end;

	tw_points_of(m, &p);
	tw_points_range(&p, it, &i, &end);
	for (; i < end; i++) {
		tw_points_get(&p, i, v);
		sum = checksum_crc32(sum, v, sizeof(v));
	}
	return sum;
}

static bool sum_of(const struct tw_map *m, const struct tw_item *it, uint32_t *ret)
{
	CLEANUP(tw_ints_unref) struct tw_ints *v = bare(it);
	uint32_t fields[TW_FIELDS_MAX];
	unsigned n = tw_data_fields(it, fields);

	if (!v)
		return false;
	*ret = checksum_crc32(CRC32_START, v->v, v->n * sizeof(*v->v));
	if (it->type == TW_ENVELOPE)
		*ret = add_points(m, it, *ret);
	for (unsigned k = 0; k < n; k++) {
		struct blob *b = tw_blob_of(m, it, fields[k]);

		if (b && blob_each(b, add_chunk, ret, NULL) < 0)
			return false;
	}
	return true;
}

static bool same_points(const struct tw_map *m, const struct tw_item *a, const struct tw_item *b)
{
	int32_t x[TW_POINT_FULL], y[TW_POINT_FULL];
	uint32_t i, end_a, j, end_b;
	struct tw_points p;

	tw_points_of(m, &p);
	tw_points_range(&p, a, &i, &end_a);
	tw_points_range(&p, b, &j, &end_b);
	if (end_a - i != end_b - j)
		return false;
	for (; i < end_a; i++, j++) {
		tw_points_get(&p, i, x);
		tw_points_get(&p, j, y);
		if (memcmp(x, y, sizeof(x)) != 0)
			return false;
	}
	return true;
}

static bool same(const struct tw_map *m, const struct tw_item *a, const struct tw_item *b)
{
	CLEANUP(tw_ints_unref) struct tw_ints *x = bare(a);
	CLEANUP(tw_ints_unref) struct tw_ints *y = bare(b);
	uint32_t fields[TW_FIELDS_MAX];
	unsigned n = tw_data_fields(a, fields);
	bool equal = x && y && tw_ints_same(x, y);

	for (unsigned k = 0; equal && k < n; k++)
		if (blob_equal(tw_blob_of(m, a, fields[k]), tw_blob_of(m, b, fields[k]), &equal,
			    NULL) < 0)
			equal = false;
	return equal && (a->type != TW_ENVELOPE || same_points(m, a, b));
}

static int order(const void *pa, const void *pb)
{
	const struct looked *a = pa, *b = pb;

	return array_order(a->sum, b->sum) ?: array_order(a->position, b->position);
}

/* What is referred to from now on, by what was. */
struct merging {
	struct tidying *t;
	uint32_t *first[TW_USABLE], n[TW_USABLE];
	bool any;
};

static void merge(struct merging *g, enum tw_sort sort, uint32_t first, uint32_t second)
{
	const struct tw_type *all = tw_type(g->t->m, tw_sort_type(sort));
	char why[16 + TW_PATH_MAX] = "the same as ";

	tw_path_object(g->t->from, all->items[first], why + strlen(why));
	if (!tidy_drop(g->t, all->items[second], why))
		return;
	g->first[sort][second] = first;
	g->any = true;
}

static int find(struct merging *g, enum tw_sort sort)
{
	const struct tw_map *m = g->t->m;
	uint32_t n = g->n[sort] = tw_count(m, tw_sort_type(sort));
	uint32_t *first = g->first[sort] = calloc((size_t)n + 1, sizeof(*first));
	CLEANUP(free) struct looked *l = calloc((size_t)n + 1, sizeof(*l));
	size_t n_looked = 0;

	if (!first || !l)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		first[i] = l[n_looked].position = i;
		n_looked += sum_of(m, tw_item_at(m, tw_sort_type(sort), i), &l[n_looked].sum);
	}
	qsort(l, n_looked, sizeof(*l), order);
	for (size_t i = 1, from = 0; i < n_looked; i++) {
		const struct tw_item *a = tw_item_at(m, tw_sort_type(sort), l[from].position);

		if (l[i].sum == l[from].sum &&
			same(m, a, tw_item_at(m, tw_sort_type(sort), l[i].position)))
			merge(g, sort, l[from].position, l[i].position);
		else
			from = i;
	}
	return 0;
}

static int32_t now(const struct merging *g, enum tw_sort sort, int32_t ref)
{
	return ref >= 0 && (uint32_t)ref < g->n[sort] ? (int32_t)g->first[sort][ref] : ref;
}

static int32_t now_envelope(void *arg, int32_t ref)
{
	return now(arg, TW_SORT_ENVELOPE, ref);
}

static int follow(struct merging *g, uint32_t item)
{
	struct tw_map *m = g->t->m;
	struct tw_item *it = &m->items[item];
	CLEANUP(blob_unref) struct blob *list = NULL;
	struct tw_held held[TW_HELD_MAX];
	unsigned n = tw_held_fields(it, held);
	int r = 0;

	for (unsigned k = 0; r == 0 && k < n; k++) {
		int32_t was = it->ints->v[held[k].field], is = now(g, held[k].sort, was);

		r = is == was ? 0 : tw_item_set(it, held[k].field, is);
	}
	if (r == 0)
		r = tw_held_elements(m, it, now_envelope, g, &list);
	return r < 0 || !list ? r : tw_map_set_data(m, item, TW_LIST_DATA, list, NULL);
}

int tidy_equal(struct tidying *t, struct error *e)
{
	const struct tw_type *layers = tw_type(t->m, TW_LAYER);
	struct merging g = {.t = t};
	int r = 0;

	for (int sort = 0; r == 0 && sort < TW_USABLE; sort++)
		r = find(&g, (enum tw_sort)sort);
	for (uint32_t i = 0; r == 0 && g.any && layers && i < layers->n; i++)
		if (!t->gone[layers->items[i]])
			r = follow(&g, layers->items[i]);
	for (int sort = 0; sort < TW_USABLE; sort++)
		free(g.first[sort]);
	return r < 0 ? error_set(e, r, "no memory for the references of layers") : 0;
}
