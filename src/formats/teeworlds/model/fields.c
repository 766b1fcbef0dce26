/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/model/fields.h"

bool tw_is_tiles(const struct tw_item *it)
{
	return it->type == TW_LAYER && it->ints->n >= TW_TILES_MIN &&
	       it->ints->v[TW_LAYER_TYPE] == TW_LAYER_TILES;
}

bool tw_is_physics(const struct tw_item *it)
{
	return tw_is_tiles(it) && it->ints->v[TW_TILES_KIND] != 0;
}

int tw_tiles_field(const struct tw_item *it)
{
	static const int kinds[] = {2, 4, 8, 16, 32}; /* tele, speedup, front, switch, tune */
	int32_t kind = it->ints->v[TW_TILES_KIND];
	/* Since version 3, a name of three integers precedes the fields of physics layers. */
	uint32_t first = it->ints->v[TW_LAYER_VERSION] < 3 ? 15 : 18;

	if (kind == 0 || kind == 1)
		return TW_TILES_DATA;
	for (uint32_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		if (kind == kinds[k])
			return first + k < it->ints->n ? (int)(first + k) : TW_TILES_DATA;
	return -1;
}

static unsigned layer_fields(const struct tw_item *it, uint32_t ret[TW_FIELDS_MAX])
{
	unsigned n = 0;
	int own;

	switch (tw_get_int(it, TW_LAYER_TYPE, -1)) {
	case TW_LAYER_TILES:
		if (!tw_is_tiles(it))
			return 0;
		ret[n++] = TW_TILES_DATA;
		own = tw_tiles_field(it);
		if (own >= 0 && own != TW_TILES_DATA)
			ret[n++] = (uint32_t)own;
		return n;
	case TW_LAYER_QUADS:
	case TW_LAYER_SOUNDS:
	case TW_LAYER_OLD_SOUNDS:
		ret[n++] = TW_LIST_DATA;
		return n;
	default:
		return 0;
	}
}

unsigned tw_data_fields(const struct tw_item *it, uint32_t ret[TW_FIELDS_MAX])
{
	unsigned n = 0, fit = 0;

	switch (it->type) {
	case TW_INFO:
		for (uint32_t i = TW_INFO_AUTHOR; i <= TW_INFO_SETTINGS; i++)
			ret[n++] = i;
		break;
	case TW_IMAGE:
		ret[n++] = TW_IMG_NAME;
		if (tw_get_int(it, TW_IMG_EXTERNAL, 1) == 0)
			ret[n++] = TW_IMG_DATA;
		break;
	case TW_SOUND:
		ret[n++] = TW_SND_NAME;
		if (tw_get_int(it, TW_SND_EXTERNAL, 1) == 0)
			ret[n++] = TW_SND_DATA;
		break;
	case TW_LAYER:
		n = layer_fields(it, ret);
		break;
	default:
		break;
	}
	while (fit < n && ret[fit] < it->ints->n)
		fit++;
	return fit;
}

unsigned tw_blob_users(const struct tw_map *m, uint32_t blob, unsigned enough)
{
	uint32_t fields[TW_FIELDS_MAX];
	unsigned users = 0;

	for (size_t i = 0; i < m->n_items && users < enough; i++) {
		const struct tw_item *it = &m->items[i];
		unsigned n = it->is_removed ? 0 : tw_data_fields(it, fields);

		for (unsigned k = 0; k < n; k++)
			users += it->ints->v[fields[k]] == (int32_t)blob;
	}
	return users;
}

static bool is_known_layer(const struct tw_item *it)
{
	int32_t type = tw_get_int(it, TW_LAYER_TYPE, -1);

	return tw_is_tiles(it) ? tw_tiles_field(it) >= 0
			       : type == TW_LAYER_QUADS || type == TW_LAYER_SOUNDS ||
					 type == TW_LAYER_OLD_SOUNDS;
}

bool tw_all_known(const struct tw_map *m)
{
	uint8_t uuid[16];

	for (size_t i = 0; i < m->n_items; i++)
		if (m->items[i].type == TW_LAYER && !m->items[i].is_removed &&
			!is_known_layer(&m->items[i]))
			return false;
	for (size_t i = 0; i < m->index->n_types; i++) {
		unsigned type = m->index->types[i].id;

		if (type <= TW_SOUND || type == TW_UUID_INDEX)
			continue;
		if (!tw_type_uuid(m->index, type, uuid) || !tw_known_uuid(uuid))
			return false;
	}
	return true;
}
