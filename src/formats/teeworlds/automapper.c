/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/automapper.h"

#include <errno.h>

#include "formats/teeworlds/fields.h"
#include "formats/teeworlds/layer.h"
#include "formats/teeworlds/uuid_item.h"

enum { GROUP = 1, LAYER = 2, LENGTH = 6 };

static const struct tw_key keys[] = {
	{"version", .at = 0, .n = 1, .initial = 1},
	{"config", .at = 3, .n = 1, .initial = -1},
	{"seed", .at = 4, .n = 1},
	{"flags", .at = 5, .n = 1},
	{NULL},
};

/* Of several items for a layer the first counts; short ones are none (layout rules 16, 21). */
static bool find_item(const struct tw_map *m, uint32_t group, uint32_t layer, uint32_t *ret)
{
	int type = tw_uuid_type(m, TW_AUTOMAPPER);
	const struct tw_type *t = type < 0 ? NULL : tw_type(m, (unsigned)type);
	int64_t number = tw_layer_in_group(m, group, layer);

	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct tw_ints *v = m->items[t->items[i]].ints;

		if (v->n >= LENGTH && v->v[GROUP] == (int64_t)group && v->v[LAYER] == number) {
			*ret = t->items[i];
			return true;
		}
	}
	return false;
}

void tw_automapper_write(struct jsonw *w, const struct tw_map *m, uint32_t group, uint32_t layer)
{
	struct tw_record rec = {.keys = keys};
	uint32_t item;

	if (!find_item(m, group, layer, &item)) {
		jsonw_null(w);
		return;
	}
	rec.v = m->items[item].ints->v;
	rec.n = m->items[item].ints->n;
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	jsonw_end(w);
}

int tw_automapper_parse(const struct json_at *at, const struct tw_map *m, uint32_t group,
	uint32_t layer, struct change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *fresh = NULL;
	struct tw_record rec = {.keys = keys};
	uint32_t item;
	bool there = find_item(m, group, layer, &item);
	int r;

	if (json_holds_null(at)) {
		if (there)
			tw_change_remove(c, item);
		return 0;
	}
	r = tw_record_expect(at, keys, NULL, e);
	if (r < 0)
		return r;
	fresh = there ? tw_ints_copy(m->items[item].ints, m->items[item].ints->n, 0)
		      : tw_ints_new(LENGTH);
	if (!fresh)
		return error_set(e, -ENOMEM, "no memory for an auto-mapper item");
	rec.v = fresh->v;
	rec.n = fresh->n;
	if (!there)
		tw_record_reset(&rec);
	r = tw_record_read(at, m, &rec, e);
	if (r < 0)
		return r;
	for (uint32_t i = 0; there && i < LENGTH; i++)
		tw_change_int(c, item, i, fresh->v[i]);
	if (there)
		return 0;
	fresh->v[GROUP] = (int32_t)group;
	fresh->v[LAYER] = (int32_t)tw_layer_in_group(m, group, layer);
	tw_change_add_uuid(m, c, TW_AUTOMAPPER, TAKE(fresh));
	return 0;
}

bool tw_automapper_layer(
	const struct tw_map *m, uint32_t item, uint32_t *ret_group, uint32_t *ret_layer)
{
	const struct tw_item *it = &m->items[item], *group;
	int64_t layer;

	if (it->type != tw_uuid_type(m, TW_AUTOMAPPER) || it->ints->n < LENGTH)
		return false;
	group = tw_item_at(m, TW_GROUP, it->ints->v[GROUP]);
	if (!group)
		return false;
	layer = (int64_t)tw_int(group, TW_GROUP_START, 0) + it->ints->v[LAYER];
	if (layer < 0 || layer > UINT16_MAX || it->ints->v[GROUP] > UINT16_MAX)
		return false;
	*ret_group = (uint32_t)it->ints->v[GROUP];
	*ret_layer = (uint32_t)layer;
	return true;
}
