/* SPDX-License-Identifier: Zlib */
/*
 * uuid: where items of a type that is known by a UUID left the map. Ids count up
 * again, as writers number them, and the last one takes the index item of its type along. Not
 * before a save, so that what comes back meanwhile finds all as it was.
 */
#include "formats/teeworlds/finalize/finalize.h"

/* How many items of the type left the map, and how many stay. */
struct counts {
	size_t lost, stay;
};

static struct counts count(const struct tw_map *m, int type)
{
	struct counts n = {0};

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		n.lost += it->type == type && it->removed && !it->reserved;
		n.stay += it->type == type && !it->removed;
	}
	return n;
}

bool finalize_uuids_lost(const struct tw_map *m)
{
	for (int what = 0; what < TW_N_UUIDS; what++)
		if (count(m, tw_uuid_type(m, (enum tw_uuid)what)).lost)
			return true;
	return false;
}

int finalize_uuids(struct finalizing *s, struct error *e)
{
	int r = 0;

	for (int what = 0; r == 0 && what < TW_N_UUIDS; what++) {
		int type = tw_uuid_type(s->to, (enum tw_uuid)what);
		struct counts n = count(s->to, type);
		uint16_t id = 0;

		for (size_t i = 0; n.lost && i < s->to->n_items; i++) {
			struct tw_item *it = &s->to->items[i];

			if (!n.stay && it->type == TW_UUID_INDEX && it->id == type)
				it->removed = true;
			/* Others stand in another order than here. */
			if (what == TW_AUTOMAPPER && it->type == type && !it->removed)
				it->id = id++;
		}
		if (n.lost)
			r = tw_map_reindex(s->to);
	}
	return r < 0 ? error_set(e, r, "no memory for the map to be written") : 0;
}
