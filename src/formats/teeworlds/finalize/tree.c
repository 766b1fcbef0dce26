/* SPDX-License-Identifier: Zlib */
/* tree: order layers by their groups, then those that are in no group. */
#include <errno.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/model/fields.h"

/* Copy a layer that is in two groups, with its blobs. A game accepts neither shared layers nor
 * shared tiles. */
static int copy_layer(struct tw_map *m, uint32_t item, uint32_t *ret)
{
	uint32_t fields[TW_FIELDS_MAX];
	struct tw_ints *ints = tw_ints_copy(m->items[item].ints, m->items[item].ints->n, 0);
	unsigned n;
	int r = tw_map_add_item(m, TW_LAYER, 0, ints, ret);

	if (r < 0)
		return r;
	m->items[*ret].original = item + 1;
	n = tw_data_fields(&m->items[*ret], fields);
	for (unsigned k = 0; k < n; k++) {
		struct blob *blob = tw_get_blob(m, &m->items[*ret], fields[k]);
		uint32_t added;

		if (!blob)
			continue;
		r = tw_map_add_blob(m, blob_ref(blob), &added);
		if (r < 0)
			return r;
		ints->v[fields[k]] = (int32_t)added;
	}
	return 0;
}

static int list_layers(struct finalizer *s)
{
	struct tw_order *r = &s->orders[TW_SORT_LAYER];
	const struct tw_type *all = tw_type(s->mounted, TW_LAYER);
	struct item_list *l = &s->lists[TW_SORT_LAYER];
	CLEANUP(free) bool *slotted = calloc(s->mounted->n_items + 1, sizeof(*slotted));
	CLEANUP(free) bool *listed = calloc(s->mounted->n_items + 1, sizeof(*listed));
	int ret = slotted && listed ? 0 : -ENOMEM;

	for (uint32_t i = 0; ret == 0 && i < r->n; i++)
		slotted[r->slots[i].item] = true;
	for (uint32_t i = 0; ret == 0 && i < r->n_kept; i++) {
		struct tw_slot *slot = r->sorted[i];

		if (listed[slot->item])
			ret = copy_layer(s->result, slot->item, &slot->final_item);
		listed[slot->item] = true;
		if (ret == 0)
			ret = item_list_push(l, slot->final_item);
	}
	for (uint32_t i = 0; ret == 0 && all && i < all->n; i++)
		if (!slotted[all->items[i]])
			ret = item_list_push(l, all->items[i]);
	return ret;
}

static int set_range(struct tw_map *m, uint32_t item, uint32_t first, uint32_t n)
{
	struct tw_item *it = &m->items[item];
	uint32_t need = TW_GROUP_COUNT + 1;
	struct tw_ints *ints;

	if (it->ints->n == 0)
		ints = tw_initial_group();
	else
		ints = tw_ints_copy(it->ints, it->ints->n > need ? it->ints->n : need, 0);
	if (!ints)
		return -ENOMEM;
	ints->v[TW_GROUP_START] = (int32_t)first;
	ints->v[TW_GROUP_COUNT] = (int32_t)n;
	tw_item_replace_ints(it, ints);
	return 0;
}

static int list_groups(struct finalizer *s)
{
	const struct tw_order *groups = &s->orders[TW_SORT_GROUP];
	const struct tw_order *layers = &s->orders[TW_SORT_LAYER];
	uint32_t at = 0;

	for (uint32_t i = 0; i < groups->n_kept; i++) {
		uint32_t first = at;
		int r;

		while (at < layers->n_kept && layers->sorted[at]->final_group == i)
			at++;
		r = item_list_push(&s->lists[TW_SORT_GROUP], groups->sorted[i]->item);
		if (r == 0)
			r = set_range(s->result, groups->sorted[i]->item, first, at - first);
		if (r < 0)
			return r;
	}
	return 0;
}

bool finalize_tree_changed(const struct finalizer *s)
{
	return s->orders[TW_SORT_GROUP].is_changed || s->orders[TW_SORT_LAYER].is_changed;
}

int finalize_tree(struct finalizer *s, struct error *e)
{
	int r = 0;

	if (finalize_tree_changed(s)) {
		r = list_layers(s);
		if (r == 0)
			r = list_groups(s);
	}
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}
