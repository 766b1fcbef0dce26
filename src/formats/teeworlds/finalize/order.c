/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/finalize/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/name.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/lens/kinds.h"

/* Set the number and the chosen name of an object that a name table lists. Digits alone are the
 * number of an object without a name, even if they would be the name of a new object. */
static void read_listed_name(
	struct tw_slot *slot, const struct tw_map *m, const struct tw_table_entry *l)
{
	bool bare = strspn(l->name, "0123456789") >= l->n;
	struct tw_parsed_name parsed;

	/* Ignore errors: the base may have names that are too long for a new object. */
	(void)tw_numbered_parse(l->sort, l->name, l->n, &parsed, NULL);
	if (bare && tw_names(m, l->sort)->v[slot->mounted_position].size == 0) {
		parsed.has_position = true;
		parsed.position = strtoull(l->name, NULL, 10);
	}
	slot->is_unnumbered = !parsed.has_position;
	slot->position = parsed.position;
	slot->chosen_name = l->is_moved ? l->name : NULL;
}

static void add_slot(
	struct tw_order *r, const struct tw_map *m, uint32_t at, uint32_t group, uint32_t position)
{
	uint32_t item = tw_type(m, tw_sort_type(r->sort))->items[at];
	const struct tw_table_entry *listed = NULL;

	r->slots[r->n] = (struct tw_slot){
		.item = item,
		.final_item = item,
		.mounted_position = at,
		.group = group,
		.home_group = group,
		.position = position,
		.is_removed = m->items[item].made_name != NULL,
	};
	if (!m->items[item].made_name)
		listed = tw_listing_at(&tw_mounted(m)->table, r->sort, group, position);
	if (listed)
		read_listed_name(&r->slots[r->n], m, listed);
	r->n_mounted += !m->items[item].made_name;
	r->n++;
}

/* Create the slots of all objects. New ones are removed until they have a placement. */
static int fill_slots(struct tw_order *r, const struct tw_map *m)
{
	uint32_t n = tw_count(m, tw_sort_type(r->sort));

	r->slots = calloc((size_t)n + 1, sizeof(*r->slots));
	if (!r->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		add_slot(r, m, i, 0, i);
	return 0;
}

/* Create the slots of all layers: one for each group that has the layer. */
static int fill_layer_slots(struct tw_order *r, const struct tw_map *m)
{
	const struct tw_layer_range *groups = tw_mounted(m)->groups;
	uint32_t n_groups = tw_names(m, TW_SORT_GROUP)->n, n = tw_count(m, TW_LAYER);
	uint32_t mounted = tw_count_mounted(m, TW_LAYER);
	size_t room = 1 + (size_t)(n - mounted);

	for (uint32_t g = 0; g < n_groups; g++)
		room += groups[g].n;
	r->slots = calloc(room, sizeof(*r->slots));
	r->first_slots = calloc((size_t)n_groups + 1, sizeof(*r->first_slots));
	if (!r->slots || !r->first_slots)
		return -ENOMEM;
	r->groups = groups;
	r->n_groups = n_groups;
	r->first_made = mounted;
	for (uint32_t g = 0; g < n_groups; g++) {
		r->first_slots[g] = r->n;
		for (uint32_t i = 0; i < groups[g].n; i++)
			add_slot(r, m, groups[g].first + i, g, i);
	}
	for (uint32_t i = mounted; i < n; i++)
		add_slot(r, m, i, m->items[tw_type(m, TW_LAYER)->items[i]].group, 0);
	return 0;
}

/* The slots of new layers are last, in the order of their positions. */
struct tw_slot *tw_order_slot(const struct tw_order *r, uint32_t position, uint32_t home_group)
{
	const struct tw_layer_range *group =
		home_group < r->n_groups ? &r->groups[home_group] : NULL;
	uint32_t number = position;

	if (r->sort == TW_SORT_LAYER && position >= r->first_made)
		number = r->n_mounted + (position - r->first_made);
	else if (r->sort == TW_SORT_LAYER)
		number = group && position >= group->first && position - group->first < group->n
				 ? r->first_slots[home_group] + (position - group->first)
				 : UINT32_MAX;
	return number < r->n ? &r->slots[number] : NULL;
}

uint32_t tw_order_count_layers(const struct tw_order *r, uint32_t final_group)
{
	size_t end = array_bisect(i, r->n_kept, r->sorted[i]->final_group > final_group);

	return end && r->sorted[end - 1]->final_group == final_group
		       ? r->sorted[end - 1]->final_index + 1
		       : 0;
}

/* Does the object have the directory and name that it had at the mount? */
static bool is_unmoved(const struct tw_map *m, const struct placement *p)
{
	entry_id id;

	return !p->name || (tw_object_find(m, p->dir, p->name, &id) == 0 &&
				   entry_object(id) == entry_object(p->id));
}

/* Can the object be saved as it is? A group needs no group.json. */
static bool has_content(const struct tw_order *r, const struct tw_item *it)
{
	return !tw_is_empty(it) || r->sort == TW_SORT_GROUP;
}

static int set_place(
	struct tw_order *r, struct tw_slot *slot, const struct placement *p, struct error *e)
{
	size_t n = tw_stem_length(r->sort, p->name, NULL);
	struct tw_parsed_name parsed;
	int ret = tw_numbered_parse(r->sort, p->name, n, &parsed, e);

	if (ret < 0)
		return error_context(e, "%s", p->name), ret;
	slot->is_removed = false;
	slot->placement = p;
	slot->chosen_name = p->name;
	slot->is_unnumbered = !parsed.has_position;
	slot->position = parsed.position;
	if (r->sort == TW_SORT_LAYER)
		slot->group = tw_id_a(p->dir);
	return 0;
}

static int take_placement(
	struct tw_order *r, const struct tw_map *m, struct placement *p, struct error *e)
{
	struct tw_slot *slot = tw_order_slot(r, tw_object_position(p->id), tw_id_a(p->id));

	if (!slot)
		return 0;
	if (p->is_removed) {
		slot->is_removed = true;
		return 0;
	}
	p->is_absent = !has_content(r, &m->items[slot->item]);
	if (p->is_absent || is_unmoved(m, p))
		return 0;
	return set_place(r, slot, p, e);
}

/* Set the final group of layers, and remove the layers of removed groups. */
static void follow_groups(struct tw_order *r, const struct tw_order *groups)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct tw_slot *slot = &r->slots[i];
		const struct tw_slot *group = tw_order_slot(groups, slot->group, 0);
		bool is_removed = !group || group->is_removed;

		slot->final_group = is_removed ? groups->n_kept : group->final_position;
		slot->is_removed |= is_removed;
	}
}

static int slot_cmp(const void *pa, const void *pb)
{
	const struct tw_slot *a = *(struct tw_slot *const *)pa, *b = *(struct tw_slot *const *)pb;

	if (a->is_removed != b->is_removed)
		return a->is_removed - b->is_removed;
	if (a->final_group != b->final_group)
		return a->final_group < b->final_group ? -1 : 1;
	if (a->is_unnumbered != b->is_unnumbered)
		return a->is_unnumbered - b->is_unnumbered;
	if (!a->is_unnumbered && a->position != b->position)
		return a->position < b->position ? -1 : 1;
	/* Made and moved objects precede those that had the number before. */
	if (!a->chosen_name != !b->chosen_name)
		return a->chosen_name ? -1 : 1;
	if (a->placement && b->placement && a->placement->order != b->placement->order)
		return a->placement->order < b->placement->order ? -1 : 1;
	if (a->chosen_name && (!a->placement || !b->placement) &&
		name_compare(a->chosen_name, b->chosen_name) != 0)
		return name_compare(a->chosen_name, b->chosen_name);
	return a < b ? -1 : a > b;
}

/* Does a shared layer become two? It does if it is moved or renamed in one of its groups. */
static bool is_split(const struct tw_order *r, const struct tw_map *m, const struct tw_slot *slot)
{
	return r->sort == TW_SORT_LAYER && slot->placement &&
	       tw_layer_is_shared(m, slot->mounted_position);
}

static int sort_slots(struct tw_order *r, const struct tw_map *m)
{
	r->sorted = malloc(((size_t)r->n + 1) * sizeof(struct tw_slot *));
	if (!r->sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n; i++)
		r->sorted[i] = &r->slots[i];
	qsort(r->sorted, r->n, sizeof(struct tw_slot *), slot_cmp);
	for (uint32_t i = 0; i < r->n; i++) {
		struct tw_slot *slot = r->sorted[i], *before = i ? r->sorted[i - 1] : NULL;

		slot->final_position = i;
		slot->final_index = before && slot->final_group == before->final_group
					    ? before->final_index + 1
					    : 0;
	}
	while (r->n_kept < r->n && !r->sorted[r->n_kept]->is_removed)
		r->n_kept++;
	r->is_changed = r->n_kept != r->n_mounted;
	for (uint32_t i = 0; i < r->n_kept && !r->is_changed; i++)
		r->is_changed = r->sorted[i] != &r->slots[i] ||
				r->slots[i].group != r->slots[i].home_group ||
				is_split(r, m, &r->slots[i]);
	r->moves_references = r->is_changed || r->n != r->n_kept;
	return 0;
}

int tw_order_init(struct tw_order *r, const struct tw_map *m, enum tw_sort sort,
	const struct tw_order *groups, struct placement *p, size_t n, struct error *e)
{
	int ret;

	*r = (struct tw_order){.sort = sort};
	ret = sort == TW_SORT_LAYER ? fill_layer_slots(r, m) : fill_slots(r, m);
	if (ret < 0)
		return error_set(e, ret, "out of memory");
	for (size_t i = 0; ret == 0 && i < n; i++)
		if (tw_sort_of(p[i].id) == sort)
			ret = take_placement(r, m, &p[i], e);
	if (ret < 0)
		return ret;
	if (sort == TW_SORT_LAYER)
		follow_groups(r, groups);
	ret = sort_slots(r, m);
	return ret < 0 ? error_set(e, ret, "out of memory") : 0;
}

void tw_order_finish(struct tw_order *r)
{
	free(r->slots);
	free(r->sorted);
	free(r->first_slots);
}
