/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/uuid.h"

static bool is_taken(const struct tw_map *m, uint16_t type)
{
	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		if (!it->is_removed &&
			(it->type == type || (it->type == TW_UUID_INDEX && it->id == type)))
			return true;
	}
	return false;
}

/* Choose a number for a UUID type that the map does not define, and add its index item. */
static uint16_t define_type(struct tw_change *c, enum tw_uuid what)
{
	const uint8_t *uuid = tw_uuid_bytes(what);
	struct tw_ints *ints = tw_ints_new(4);
	uint16_t type = TW_UUID_INDEX - 1;

	for (unsigned k = 0; ints && k < 16; k++)
		ints->v[k / 4] = (int32_t)((uint32_t)ints->v[k / 4] << 8 | uuid[k]);
	/* The same change may have added the index item before. */
	for (size_t i = c->n_items; ints && i < c->result->n_items; i++)
		if (c->result->items[i].type == TW_UUID_INDEX &&
			tw_ints_same(c->result->items[i].ints, ints)) {
			tw_ints_unref(ints);
			return c->result->items[i].id;
		}
	while (is_taken(c->result, type))
		type--;
	tw_change_add_item(c, TW_UUID_INDEX, type, ints);
	return type;
}

/* Find a free id for an item of the type: the next higher one, or else the first free one. */
static uint16_t next_id(const struct tw_map *m, uint16_t type)
{
	bool used[UINT16_MAX + 1] = {false};
	uint32_t id = 0;

	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		if (it->type != type || it->is_removed)
			continue;
		used[it->id] = true;
		id = it->id >= id ? it->id + 1U : id;
	}
	if (id > UINT16_MAX)
		for (id = 0; id < UINT16_MAX && used[id];)
			id++;
	return (uint16_t)id;
}

uint32_t tw_change_add_uuid(struct tw_change *c, enum tw_uuid what, struct tw_ints *take)
{
	CLEANUP(tw_ints_unref) struct tw_ints *ints = take;
	int known = tw_uuid_type(c->base, what);
	uint16_t type;

	if (!tw_change_map(c))
		return UINT32_MAX;
	type = known < 0 ? define_type(c, what) : (uint16_t)known;
	return tw_change_add_item(c, type, next_id(c->result, type), TAKE(ints));
}
