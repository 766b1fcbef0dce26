/* SPDX-License-Identifier: Zlib */
/* uuid: clean up after items of UUID types left the map. Auto-mapper items are numbered from 0
 * again, as other writers do. A type that has no items any more loses its index item. A save does
 * this, not the removal, because the items may come back before the save. */
#include "formats/teeworlds/finalize/finalize.h"

/* The items of a type that left the map, and those that stay. */
struct item_counts {
	size_t n_lost, n_kept;
};

static struct item_counts count_items(const struct tw_map *m, int type)
{
	struct item_counts n = {0};

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		n.n_lost += it->type == type && it->is_removed && !it->is_reserved;
		n.n_kept += it->type == type && !it->is_removed;
	}
	return n;
}

bool finalize_has_lost_uuids(const struct tw_map *m)
{
	for (int what = 0; what < TW_N_UUIDS; what++)
		if (count_items(m, tw_uuid_type(m, (enum tw_uuid)what)).n_lost)
			return true;
	return false;
}

int finalize_uuids(struct finalizer *s, struct error *e)
{
	int r = 0;

	for (int what = 0; r == 0 && what < TW_N_UUIDS; what++) {
		int type = tw_uuid_type(s->result, (enum tw_uuid)what);
		struct item_counts n = count_items(s->result, type);
		uint16_t id = 0;

		for (size_t i = 0; n.n_lost && i < s->result->n_items; i++) {
			struct tw_item *it = &s->result->items[i];

			if (!n.n_kept && it->type == TW_UUID_INDEX && it->id == type)
				it->is_removed = true;
			/* Other types are numbered in an order of their own. */
			if (what == TW_AUTOMAPPER && it->type == type && !it->is_removed)
				it->id = id++;
		}
		if (n.n_lost)
			r = tw_map_reindex(s->result);
	}
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}
