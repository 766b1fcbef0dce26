/* SPDX-License-Identifier: Zlib */
/*
 * uuid: where items of a type that is known by a UUID left the map. Ids count up
 * again, as writers number them, and the last one takes the index item of its type along. Not
 * before a save, so that what comes back meanwhile finds all as it was.
 */
#include "formats/teeworlds/finalize/finalize.h"

static bool lost_any(const struct tw_map *m, int type)
{
	for (size_t i = 0; i < m->n_items; i++)
		if (m->items[i].type == type && m->items[i].removed && !m->items[i].reserved)
			return true;
	return false;
}

bool finalize_uuids_lost(const struct tw_map *m)
{
	for (int what = 0; what < TW_N_UUIDS; what++)
		if (lost_any(m, tw_uuid_type(m, (enum tw_uuid)what)))
			return true;
	return false;
}

static bool has_any(const struct tw_map *m, int type)
{
	for (size_t i = 0; i < m->n_items; i++)
		if (m->items[i].type == type && !m->items[i].removed)
			return true;
	return false;
}

static void renumber(struct tw_map *m, int type)
{
	uint16_t id = 0;

	for (size_t i = 0; i < m->n_items; i++)
		if (m->items[i].type == type && !m->items[i].removed)
			m->items[i].id = id++;
}

static void drop_index(struct tw_map *m, int type)
{
	for (size_t i = 0; i < m->n_items; i++)
		if (m->items[i].type == TW_UUID_INDEX && m->items[i].id == type)
			m->items[i].removed = true;
}

int finalize_uuids(struct finalizing *s, struct error *e)
{
	int r = 0;

	for (int what = 0; r == 0 && what < TW_N_UUIDS; what++) {
		int type = tw_uuid_type(s->to, (enum tw_uuid)what);

		if (type < 0 || !lost_any(s->to, type))
			continue;
		if (!has_any(s->to, type))
			drop_index(s->to, type);
		else if (what == TW_AUTOMAPPER) /* others stand in another order than here */
			renumber(s->to, type);
		r = tw_map_reindex(s->to);
	}
	return r < 0 ? error_set(e, r, "no memory for the map to be written") : 0;
}
