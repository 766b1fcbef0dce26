/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/lens.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/lens/kinds.h"

const struct tw_kind *const tw_kinds[TW_N_KINDS] = {
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

static void touch_typed(const struct tw_map *m, uint32_t item, struct touched *t)
{
	if (!m->shared->typed)
		return;
	for (int i = 0; i < TW_N_KINDS; i++)
		if (tw_kinds[i] && tw_kinds[i]->touch)
			tw_kinds[i]->touch(m, item, t);
}

void tw_touch_item(const struct tw_map *m, uint32_t item, struct touched *t)
{
	if (!t)
		return;
	touched_add(t, tw_id(TW_K_RAW_ITEM, item, 0));
	touch_typed(m, item, t);
}

void tw_touch_blob(const struct tw_map *m, uint32_t blob, struct touched *t)
{
	uint32_t fields[TW_FIELDS_MAX];

	if (!t)
		return;
	touched_add(t, tw_id(TW_K_RAW_DATA, blob, 0));
	for (uint32_t i = 0; i < m->n_items; i++) {
		unsigned n = m->items[i].removed ? 0 : tw_data_fields(&m->items[i], fields);

		for (unsigned k = 0; k < n; k++)
			if (m->items[i].ints->v[fields[k]] == (int32_t)blob) {
				touch_typed(m, i, t);
				break;
			}
	}
}

int tw_slice(const void *data, size_t size, uint64_t off, void *dst, size_t n, struct error *e)
{
	if (off > size || n > size - off)
		return error_set(e, -EIO, "the file ends at byte %zu", size);
	if (n)
		memcpy(dst, (const uint8_t *)data + off, n);
	return 0;
}
