/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/layer/automapper.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/item/uuid.h"
#include "formats/teeworlds/model/fields.h"

static const struct tw_key keys[] = {
	{"version", .first = 0, .n = 1, .initial = 1},
	{"config", .first = 3, .n = 1, .initial = -1},
	{"seed", .first = 4, .n = 1},
	{"flags", .first = 5, .n = 1},
	{NULL},
};

/* The integers of a layer's auto-mapper item; NULL if it has none. If there are several items, the
 * first is valid; short items are ignored (layout rules 16, 21). *ret is not set for new layers. */
static const struct tw_ints *find_automapper(
	const struct tw_map *m, uint32_t group, uint32_t layer, uint32_t *ret)
{
	const struct tw_item *it = tw_item_at(m, TW_LAYER, layer);
	const uint32_t *items;

	if (it && it->made_name)
		return it->own_data;
	if (!tw_find_autos(m, group, tw_layer_in_group(m, group, layer), &items))
		return NULL;
	*ret = items[0];
	return m->items[items[0]].ints;
}

void tw_automapper_write(struct jsonw *w, const struct tw_map *m, uint32_t group, uint32_t layer)
{
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL;
	struct tw_record rec = {.keys = keys};
	const struct tw_ints *found;
	uint32_t item;

	found = find_automapper(m, group, layer, &item);
	if (!found) {
		jsonw_null(w);
		return;
	}
	v = tw_ints_ref((struct tw_ints *)(uintptr_t)found);
	rec.v = v->v;
	rec.n = v->n;
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	jsonw_end(w);
}

static bool is_same(const struct tw_ints *a, const struct tw_ints *b)
{
	return memcmp(a->v, b->v, TW_AUTO_LENGTH * sizeof(a->v[0])) == 0;
}

/* Change or add the item. For a new layer, keep it in tw_item.own_data until the layer's number is
 * known. Takes over the reference to `take`. */
static void set_automapper(const struct tw_map *m, uint32_t group, uint32_t layer,
	const struct tw_ints *old, uint32_t item, struct tw_ints *take, struct tw_change *c)
{
	CLEANUP(tw_ints_unref) struct tw_ints *fresh = take;
	uint32_t handle;

	if (old && is_same(old, fresh))
		return;
	if (tw_find_item(m, TW_LAYER, layer, &handle) == 0 && m->items[handle].made_name) {
		tw_change_set_extra(c, handle, TAKE(fresh));
		return;
	}
	if (old) {
		tw_change_set_ints(c, item, TAKE(fresh));
		return;
	}
	fresh->v[TW_AUTO_GROUP] = (int32_t)group;
	fresh->v[TW_AUTO_LAYER] = (int32_t)tw_layer_in_group(m, group, layer);
	tw_change_add_uuid(c, TW_AUTOMAPPER, TAKE(fresh));
}

/* Remove all items of a layer, because the second one is valid once the first is removed. */
static void remove_automappers(
	const struct tw_map *m, uint32_t group, uint32_t layer, struct tw_change *c)
{
	const uint32_t *items;
	uint32_t handle, n;

	if (tw_find_item(m, TW_LAYER, layer, &handle) == 0 && m->items[handle].made_name) {
		tw_change_set_extra(c, handle, NULL);
		return;
	}
	n = tw_find_autos(m, group, tw_layer_in_group(m, group, layer), &items);
	for (uint32_t i = 0; i < n; i++)
		tw_change_remove_item(c, items[i]);
}

int tw_automapper_parse(const struct json_at *at, const struct tw_map *m, uint32_t group,
	uint32_t layer, struct tw_change *c, bool *ret_differs, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *fresh = NULL;
	struct tw_record rec = {.keys = keys};
	uint32_t item = 0;
	const struct tw_ints *old = find_automapper(m, group, layer, &item);
	int r;

	if (json_holds_null(at)) {
		*ret_differs |= old != NULL;
		if (old && c)
			remove_automappers(m, group, layer, c);
		return 0;
	}
	r = tw_record_expect(at, keys, NULL, e);
	if (r < 0)
		return r;
	fresh = old ? tw_ints_copy(old, old->n, 0) : tw_ints_new(TW_AUTO_LENGTH);
	if (!fresh)
		return error_set(e, -ENOMEM, "out of memory");
	rec.v = fresh->v;
	rec.n = fresh->n;
	if (!old)
		tw_record_reset(&rec);
	r = tw_record_read(at, NULL, &rec, e);
	*ret_differs |= r == 0 && !(old && is_same(old, fresh));
	if (r == 0 && c)
		set_automapper(m, group, layer, old, item, TAKE(fresh), c);
	return r;
}

bool tw_automapper_layer(
	const struct tw_map *m, uint32_t item, uint32_t *ret_group, uint32_t *ret_layer)
{
	const struct tw_item *it = &m->items[item], *group;
	int64_t layer;

	if (it->type != tw_uuid_type(m, TW_AUTOMAPPER) || it->ints->n < TW_AUTO_LENGTH)
		return false;
	group = tw_item_at(m, TW_GROUP, it->ints->v[TW_AUTO_GROUP]);
	if (!group)
		return false;
	layer = (int64_t)tw_get_int(group, TW_GROUP_START, 0) + it->ints->v[TW_AUTO_LAYER];
	if (layer < 0 || layer > UINT16_MAX || it->ints->v[TW_AUTO_GROUP] > UINT16_MAX)
		return false;
	*ret_group = (uint32_t)it->ints->v[TW_AUTO_GROUP];
	*ret_layer = (uint32_t)layer;
	return true;
}
