/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/lens.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/sort.h"

static const struct tw_kind *const tw_kinds[TW_N_KINDS] = {
	[TW_K_ROOT] = &tw_kind_root,
	[TW_K_INFO_DIR] = &tw_kind_info_dir,
	[TW_K_INFO] = &tw_kind_info,
	[TW_K_IMAGES] = &tw_kind_images,
	[TW_K_IMAGE_PNG] = &tw_kind_image_png,
	[TW_K_IMAGE_JSON] = &tw_kind_image_json,
	[TW_K_SOUNDS] = &tw_kind_sounds,
	[TW_K_SOUND_OPUS] = &tw_kind_sound_opus,
	[TW_K_SOUND_JSON] = &tw_kind_sound_json,
	[TW_K_ENVELOPES] = &tw_kind_envelopes,
	[TW_K_ENVELOPE] = &tw_kind_envelope,
	[TW_K_GROUPS] = &tw_kind_groups,
	[TW_K_GROUP] = &tw_kind_group,
	[TW_K_GROUP_JSON] = &tw_kind_group_json,
	[TW_K_LAYERS] = &tw_kind_layers,
	[TW_K_LAYER] = &tw_kind_layer,
	[TW_K_LAYER_JSON] = &tw_kind_layer_json,
	[TW_K_PLANE] = &tw_kind_plane,
	[TW_K_QUADS] = &tw_kind_quads,
	[TW_K_SOURCES] = &tw_kind_sources,
	[TW_K_PICTURE] = &tw_kind_picture,
	[TW_K_RAW] = &tw_kind_raw,
	[TW_K_RAW_ITEMS] = &tw_kind_raw_items,
	[TW_K_RAW_TYPE] = &tw_kind_raw_type,
	[TW_K_RAW_ITEM] = &tw_kind_raw_item,
	[TW_K_RAW_DATA_DIR] = &tw_kind_raw_data_dir,
	[TW_K_RAW_DATA] = &tw_kind_raw_data,
};

const struct tw_kind *tw_kind(entry_id id)
{
	unsigned kind = tw_id_kind(id);

	return kind < TW_N_KINDS && id >> ENTRY_ID_BITS == 0 ? tw_kinds[kind] : NULL;
}

int tw_kind_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	const struct tw_kind *k = tw_kind(id);
	struct jsonw w;
	int r;

	if (k->stat)
		return k->stat(m, id, ret, e);
	jsonw_to_nowhere(&w);
	r = k->write(&w, m, id, 0, e);
	if (r < 0)
		return r;
	tw_stat_file(ret, w.size, true);
	ret->is_restored = k->is_restored;
	return 0;
}

int tw_kind_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const struct tw_kind *k = tw_kind(dir);
	char child[NAME_MAX + 1];
	uint64_t cookie = 0;

	if (k->find)
		return k->find(m, dir, name, ret);
	while (k->child(m, dir, &cookie, child, ret) == 1)
		if (strcmp(child, name) == 0)
			return 0;
	return -ENOENT;
}

int tw_kind_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e)
{
	const struct tw_kind *k = tw_kind(id);
	struct file_attr entry;
	struct jsonw w;
	int r;

	if (k->size)
		return k->size(m, id, ret, e);
	jsonw_to_nowhere(&w);
	r = k->write ? k->write(&w, m, id, UINT64_MAX, e) : k->stat(m, id, &entry, e);
	if (r == 0)
		*ret = k->write ? w.size : entry.size;
	return r;
}

int tw_kind_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct tw_kind *k = tw_kind(id);
	struct jsonw w;
	uint8_t none;

	if (!k->write)
		return k->get(m, id, off, dst, n, e);
	/* The writer is done when it has the range. An empty range needs a valid pointer. */
	jsonw_to_range(&w, off, n ? dst : &none, n);
	return k->write(&w, m, id, off, e);
}

/* Add the typed entries that show an item. */
static void touch_typed(const struct tw_map *m, uint32_t item, struct touched *t)
{
	if (!m->shared->is_typed)
		return;
	for (int sort = 0; sort < TW_SORT_GROUP; sort++) {
		uint32_t position = (uint32_t)tw_position(m, item);

		if (tw_sorts[sort].type != m->items[item].type)
			continue;
		touched_add(t, tw_object_id((enum tw_sort)sort, 0, position, false));
		if (tw_sorts[sort].is_embedded)
			touched_add(t, tw_object_id((enum tw_sort)sort, 0, position, true));
	}
	for (int i = 0; i < TW_N_KINDS; i++)
		if (tw_kinds[i]->touch)
			tw_kinds[i]->touch(m, item, t);
}

/* Add the typed entries of the items that refer to a blob. */
static void touch_users(const struct tw_map *m, uint32_t blob, struct touched *t)
{
	uint32_t fields[TW_FIELDS_MAX];

	for (uint32_t i = 0; i < m->n_items; i++) {
		unsigned n = m->items[i].is_removed ? 0 : tw_data_fields(&m->items[i], fields);

		for (unsigned k = 0; k < n; k++)
			if (m->items[i].ints->v[fields[k]] == (int32_t)blob) {
				touch_typed(m, i, t);
				break;
			}
	}
}

static bool item_differs(const struct tw_item *a, const struct tw_item *b)
{
	return a->ints != b->ints || a->own_data != b->own_data || a->is_removed != b->is_removed;
}

/* Items and blobs are only appended, so both versions have the same handles. */
void tw_touch(const struct tw_map *before, const struct tw_map *after, struct touched *t)
{
	for (uint32_t i = 0; i < after->n_items; i++) {
		bool had = i < before->n_items;

		if (had && !item_differs(&before->items[i], &after->items[i]))
			continue;
		touched_add(t, tw_id(TW_K_RAW_ITEM, i, 0));
		if (had && !before->items[i].is_removed)
			touch_typed(before, i, t);
		if (!after->items[i].is_removed)
			touch_typed(after, i, t);
	}
	for (uint32_t i = 0; i < after->n_blobs; i++) {
		bool had = i < before->n_blobs;

		if (had && before->blobs[i] == after->blobs[i])
			continue;
		touched_add(t, tw_id(TW_K_RAW_DATA, i, 0));
		if (had)
			touch_users(before, i, t);
		touch_users(after, i, t);
	}
	for (uint32_t i = 0; after->shared->preview && i < TW_PICTURES; i++)
		touched_add(t, tw_id(TW_K_PICTURE, i, 0));
}
