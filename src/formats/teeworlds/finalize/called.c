/* SPDX-License-Identifier: Zlib */
/* called: what the mount calls the objects of the map to be written. */
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"

/* Slots are in the order of the map; of layers, which other ones stand in the groups before is
 * counted on. */
struct calling {
	struct finalizing *s;
	uint32_t layer;
};

static const struct tw_slot *slot_at(
	struct calling *c, enum tw_sort sort, uint32_t group, uint32_t place)
{
	const struct tw_order *r = &c->s->orders[sort];
	const struct tw_slot *slot;

	if (sort != TW_SORT_LAYER)
		return place < r->n_here ? &r->slots[place] : NULL;
	while (c->layer < r->n_here && r->slots[c->layer].rank < group)
		c->layer++;
	slot = c->layer < r->n_here ? &r->slots[c->layer] : NULL;
	if (!slot || slot->rank != group || slot->number != place)
		return NULL;
	c->layer++;
	return slot;
}

static bool called(void *arg, enum tw_sort sort, uint32_t group, uint32_t place, uint32_t item,
	char name[NAME_MAX + 1], bool *ret_moved)
{
	struct calling *c = arg;
	const struct tw_slot *slot = slot_at(c, sort, group, place);
	const struct tw_map *from = c->s->from;
	uint32_t first, n, home;

	if (!slot || slot->own != item)
		return false;
	*ret_moved = slot->moved;
	if (slot->placed) {
		strcpy(name, slot->placed->name);
		return true;
	}
	home = sort == TW_SORT_LAYER ? slot->home : 0;
	if (!tw_mounted_range(from, sort, home, &first, &n) || slot->at < first ||
		slot->at - first >= n)
		return false;
	tw_mounted_name(from, sort, home, slot->at - first,
		tw_ending_of(c->s->to, sort, &c->s->to->items[item]), name);
	return true;
}

int finalize_called(struct finalizing *s, struct error *e)
{
	struct calling c = {.s = s};
	int r = tw_listing_write(s->to, called, &c, &s->to->list);

	return r < 0 ? error_set(e, r, "no memory for the names of objects") : 0;
}
