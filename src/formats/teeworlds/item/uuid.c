/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/uuid.h"

static bool is_taken(const struct tw_map *m, uint16_t type)
{
	const struct tw_type *index = tw_type(m, TW_UUID_INDEX);

	for (uint32_t i = 0; index && i < index->n; i++)
		if (m->items[index->items[i]].id == type)
			return true;
	return tw_type(m, type) != NULL;
}

/* Does the change add an index item for that number already? */
static bool is_added(const struct tw_change *c, uint16_t type)
{
	for (size_t i = 0; i < c->n_edits; i++)
		if (c->edits[i].kind == TW_ADD_ITEM && c->edits[i].type == TW_UUID_INDEX &&
			c->edits[i].id == type)
			return true;
	return false;
}

static void add_index(struct tw_change *c, enum tw_uuid what, uint16_t type)
{
	const uint8_t *uuid = tw_uuid_bytes(what);
	struct tw_ints *ints = tw_ints_new(4);

	for (unsigned k = 0; ints && k < 16; k++)
		ints->v[k / 4] = (int32_t)((uint32_t)ints->v[k / 4] << 8 | uuid[k]);
	tw_change_add(c, TW_UUID_INDEX, type, ints);
}

/* An id that no item of the type has: the next one, as all that the editor writes count up; or the
 * first that is free. */
static uint16_t next_id(const struct tw_map *m, const struct tw_change *c, uint16_t type)
{
	const struct tw_type *t = tw_type(m, type);
	bool used[UINT16_MAX + 1] = {false};
	uint32_t id = 0;

	for (uint32_t i = 0; t && i < t->n; i++)
		used[m->items[t->items[i]].id] = true;
	for (size_t i = 0; i < c->n_edits; i++)
		if (c->edits[i].kind == TW_ADD_ITEM && c->edits[i].type == type)
			used[c->edits[i].id] = true;
	for (uint32_t i = 0; i <= UINT16_MAX; i++)
		if (used[i])
			id = i + 1;
	if (id > UINT16_MAX)
		for (id = 0; id < UINT16_MAX && used[id];)
			id++;
	return (uint16_t)id;
}

void tw_change_add_uuid(
	const struct tw_map *m, struct tw_change *c, enum tw_uuid what, struct tw_ints *take)
{
	int known = tw_uuid_type(m, what);
	uint16_t type = known < 0 ? TW_UUID_INDEX - 1 : (uint16_t)known;

	while (known < 0 && is_taken(m, type))
		type--;
	if (known < 0 && !is_added(c, type))
		add_index(c, what, type);
	tw_change_add(c, type, next_id(m, c, type), take);
}
