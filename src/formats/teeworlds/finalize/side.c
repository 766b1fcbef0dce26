/* SPDX-License-Identifier: Zlib */
/* side: update auto-mapper items, which name a group and a layer in it by number, and extension
 * items, which belong to groups by position. */
#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/uuid.h"
#include "formats/teeworlds/model/fields.h"

/* The slot of the layer that an auto-mapper item names; NULL if there is no such layer. */
static const struct tw_slot *find_layer_slot(const struct finalizer *s, const struct tw_ints *v)
{
	const struct tw_item *group = tw_item_at(s->mounted, TW_GROUP, v->v[TW_AUTO_GROUP]);
	int64_t layer;

	if (!group || group->made_name)
		return NULL;
	layer = (int64_t)tw_get_int(group, TW_GROUP_START, 0) + v->v[TW_AUTO_LAYER];
	/* The item cannot name a new layer. */
	if (layer < 0 || layer > UINT16_MAX || layer >= tw_count_mounted(s->mounted, TW_LAYER))
		return NULL;
	return tw_order_slot(
		&s->orders[TW_SORT_LAYER], (uint32_t)layer, (uint32_t)v->v[TW_AUTO_GROUP]);
}

static int set_auto_layer(struct tw_item *it, int32_t group, int32_t layer)
{
	int r = 0;

	if (it->ints->v[TW_AUTO_GROUP] != group)
		r = tw_item_set_int(it, TW_AUTO_GROUP, group);
	if (r == 0 && it->ints->v[TW_AUTO_LAYER] != layer)
		r = tw_item_set_int(it, TW_AUTO_LAYER, layer);
	return r;
}

static int follow_auto(struct finalizer *s, struct tw_item *it)
{
	const struct tw_slot *slot;
	int32_t group, layer;

	if (it->ints->n <= TW_AUTO_LAYER)
		return 0;
	slot = find_layer_slot(s, it->ints);
	if (slot && slot->is_removed) {
		it->is_removed = true;
		return 0;
	}
	if (slot)
		return set_auto_layer(it, (int32_t)slot->final_group, (int32_t)slot->final_index);
	/* An item that named no layer must not name one afterwards. */
	group = it->ints->v[TW_AUTO_GROUP];
	layer = it->ints->v[TW_AUTO_LAYER];
	if (group >= 0 && (uint32_t)group < s->orders[TW_SORT_GROUP].n_kept && layer >= 0 &&
		(uint32_t)layer < tw_order_count_layers(&s->orders[TW_SORT_LAYER], (uint32_t)group))
		return set_auto_layer(it, -1, -1);
	return 0;
}

static void add_autos(struct finalizer *s)
{
	const struct tw_order *r = &s->orders[TW_SORT_LAYER];

	for (uint32_t i = 0; i < r->n_kept; i++) {
		const struct tw_ints *own = s->mounted->items[r->sorted[i]->item].own_data;
		struct tw_ints *v;

		if (!own)
			continue;
		v = tw_ints_copy(own, own->n, 0);
		if (v) {
			v->v[TW_AUTO_GROUP] = (int32_t)r->sorted[i]->final_group;
			v->v[TW_AUTO_LAYER] = (int32_t)r->sorted[i]->final_index;
		}
		tw_change_add_uuid(s->change, TW_AUTOMAPPER, v);
	}
}

static int finalize_autos(struct finalizer *s)
{
	const struct tw_type *t = tw_uuid_items(s->mounted, TW_AUTOMAPPER);
	int r = 0;

	for (uint32_t i = 0; t && r == 0 && i < t->n; i++)
		r = follow_auto(s, &s->result->items[t->items[i]]);
	if (r == 0)
		add_autos(s);
	return r;
}

/* Find the zoom of a group. Returns 1 and an item's handle, 2 and a zoom, or 0 if it has none. */
static int find_zoom(const struct finalizer *s, const struct tw_slot *slot, uint32_t *ret_item,
	int32_t *ret_zoom)
{
	const struct tw_item *it = &s->mounted->items[slot->item];
	const struct tw_type *t = tw_uuid_items(s->mounted, TW_GROUP_EXT);

	if (it->made_name) {
		*ret_zoom = it->own_data ? it->own_data->v[0] : 0;
		return it->own_data ? 2 : 0;
	}
	if (!t || slot->mounted_position >= t->n)
		return 0;
	*ret_item = t->items[slot->mounted_position];
	return 1;
}

/* Give an extension item to each group up to the last one that has one. If there are items without
 * a group, which stay behind these, all groups get one. */
static int finalize_exts(struct finalizer *s)
{
	const struct tw_order *groups = &s->orders[TW_SORT_GROUP];
	const struct tw_type *t = tw_uuid_items(s->mounted, TW_GROUP_EXT);
	uint32_t n = groups->n_kept, mounted = tw_count_mounted(s->mounted, TW_GROUP), item;
	bool more = t && t->n > mounted;
	int32_t zoom;
	int r = 0;

	while (n && !more && find_zoom(s, groups->sorted[n - 1], &item, &zoom) == 0)
		n--;
	for (uint32_t i = 0; t && i < t->n; i++)
		s->result->items[t->items[i]].is_removed = true;
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		const struct tw_slot *slot = groups->sorted[i];
		int has = find_zoom(s, slot, &item, &zoom);

		if (has == 0)
			zoom = tw_group_default_zoom(&s->result->items[slot->item]);
		if (has == 1)
			s->result->items[item].is_removed = false;
		else
			item = tw_change_add_uuid(s->change, TW_GROUP_EXT, tw_initial_ext(zoom));
		r = s->change->error;
		if (r == 0)
			r = item_list_push(&s->group_exts, item);
	}
	for (uint32_t i = mounted; more && r == 0 && i < t->n; i++) {
		s->result->items[t->items[i]].is_removed = false;
		r = item_list_push(&s->group_exts, t->items[i]);
	}
	for (uint32_t i = 0; i < s->group_exts.n; i++)
		s->result->items[s->group_exts.items[i]].id = (uint16_t)i;
	return r;
}

int finalize_side_items(struct finalizer *s, struct error *e)
{
	int r;

	if (!finalize_tree_changed(s))
		return 0;
	r = finalize_autos(s);
	if (r == 0 && s->orders[TW_SORT_GROUP].is_changed)
		r = finalize_exts(s);
	r = r < 0 ? r : s->change->error;
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}
