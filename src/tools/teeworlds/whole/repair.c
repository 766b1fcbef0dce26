/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/whole/repair.h"

#include "formats/teeworlds/item/tiles_compose.h"

int tw_repair_tiles(struct tw_change *c, uint32_t item, struct error *e)
{
	const struct tw_tiles_step step = {.kind = TW_TILES_CLEAN};
	struct blob *fresh;
	struct tw_garbage g;
	struct tw_tiles t;
	int r;

	if (!tw_get_tiles(c->base, &c->base->items[item], &t) ||
		tw_tiles_find_garbage(&t, &g, NULL) < 0 || !g.value)
		return 0;
	r = tw_tiles_compose(c->base, &t, &step, NULL, &fresh, e);
	if (r < 0)
		return r;
	tw_change_set_data(c, item, t.field, fresh);
	return 1;
}

void tw_repair_ids(struct tw_change *c, const struct tw_type *t,
	void (*done)(void *arg, unsigned type, unsigned id), void *arg)
{
	const struct tw_item *items = c->base->items;
	uint32_t next = items[t->by_id[t->n - 1]].id + 1U;

	for (uint32_t k = 1; k < t->n; k++) {
		uint16_t id = items[t->by_id[k]].id;

		if (id != items[t->by_id[k - 1]].id || next > UINT16_MAX || !tw_change_map(c))
			continue;
		c->result->items[t->by_id[k]].id = (uint16_t)next++;
		if (done)
			done(arg, t->id, id);
	}
}
