/* SPDX-License-Identifier: Zlib */
/* Merge equal images, sounds and envelopes into the first of them. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/tidy/tidy.h"
#include "tools/teeworlds/whole/sum.h"

struct looked {
	uint8_t sum[TW_SUM_SIZE];
	uint32_t position;
};

static int compare_sums(const void *pa, const void *pb)
{
	const struct looked *a = pa, *b = pb;

	return memcmp(a->sum, b->sum, sizeof(a->sum)) ?: array_compare(a->position, b->position);
}

struct merging {
	struct tidying *t;
	uint32_t *first[TW_USABLE], n[TW_USABLE]; /* first: new position, by old position */
	bool has_duplicates;
};

/* Remove the second of two equal objects. false if it has to stay. */
static bool drop_second(struct merging *g, enum tw_sort sort, uint32_t first, uint32_t second)
{
	const struct tw_type *all = tw_type(g->t->m, tw_sort_type(sort));
	char why[16 + TW_PATH_MAX] = "the same as ";

	tw_path_object(g->t->whole.from, all->items[first], why + strlen(why));
	return tw_whole_remove(&g->t->whole, all->items[second], why);
}

static int find_equal(struct merging *g, enum tw_sort sort)
{
	const struct tw_map *m = g->t->m;
	const struct tw_type *all = tw_type(m, tw_sort_type(sort));
	uint32_t n = g->n[sort] = all ? all->n : 0;
	uint32_t *first = g->first[sort] = calloc((size_t)n + 1, sizeof(*first));
	CLEANUP(free) struct looked *l = calloc((size_t)n + 1, sizeof(*l));
	size_t n_looked = 0;

	if (!first || !l)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		first[i] = l[n_looked].position = i;
		n_looked += tw_sum(m, all->items[i], true, l[n_looked].sum);
	}
	qsort(l, n_looked, sizeof(*l), compare_sums);
	for (size_t i = 1, from = 0; i < n_looked; i++) {
		if (memcmp(l[i].sum, l[from].sum, sizeof(l->sum)) == 0)
			first[l[i].position] = l[from].position;
		else
			from = i;
	}
	/* Report them in the order of the map, not of the sums. */
	for (uint32_t i = 0; i < n; i++) {
		if (first[i] == i)
			continue;
		if (drop_second(g, sort, first[i], i))
			g->has_duplicates = true;
		else
			first[i] = i;
	}
	return 0;
}

static int32_t new_reference(const struct merging *g, enum tw_sort sort, int32_t ref)
{
	return ref >= 0 && (uint32_t)ref < g->n[sort] ? (int32_t)g->first[sort][ref] : ref;
}

static int32_t new_envelope(void *arg, int32_t ref)
{
	return new_reference(arg, TW_SORT_ENVELOPE, ref);
}

static int update_references(struct merging *g, uint32_t item)
{
	struct tw_map *m = g->t->m;
	struct tw_item *it = &m->items[item];
	CLEANUP(blob_unref) struct blob *list = NULL;
	struct tw_layer_ref held[TW_HELD_MAX];
	unsigned n = tw_held_fields(it, held);
	int r = 0;

	for (unsigned k = 0; r == 0 && k < n; k++) {
		int32_t was = it->ints->v[held[k].field], is = new_reference(g, held[k].sort, was);

		r = is == was ? 0 : tw_item_set_int(it, held[k].field, is);
	}
	if (r == 0)
		r = tw_map_held_elements(m, it, new_envelope, g, &list);
	return r < 0 || !list ? r : tw_map_set_data(m, item, TW_LIST_DATA, list, NULL);
}

int tidy_equal(struct tidying *t, struct error *e)
{
	const struct tw_type *layers = tw_type(t->m, TW_LAYER);
	struct merging g = {.t = t};
	int r = 0;

	for (int sort = 0; r == 0 && sort < TW_USABLE; sort++)
		r = find_equal(&g, (enum tw_sort)sort);
	for (uint32_t i = 0; r == 0 && g.has_duplicates && layers && i < layers->n; i++)
		if (!t->whole.gone[layers->items[i]])
			r = update_references(&g, layers->items[i]);
	for (int sort = 0; sort < TW_USABLE; sort++)
		free(g.first[sort]);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}
