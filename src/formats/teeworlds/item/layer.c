/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/layer.h"

#include <errno.h>
#include <inttypes.h>

#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/model/fields.h"

static const struct tw_tile_form tile_forms[TW_N_FORMS] = {
	[TW_FORM_TILES] = {4, 1 << 2 | 1 << 3, 2,
		{{TW_PLANE_ID, 0, false}, {TW_PLANE_FLAGS, 1, false}}},
	[TW_FORM_PAIR] = {2, 0, 2, {{TW_PLANE_NUMBER, 0, false}, {TW_PLANE_ID, 1, false}}},
	[TW_FORM_SWITCH] = {4, 0, 4,
		{{TW_PLANE_NUMBER, 0, false}, {TW_PLANE_ID, 1, false}, {TW_PLANE_FLAGS, 2, false},
			{TW_PLANE_DELAY, 3, false}}},
	[TW_FORM_SWITCH3] = {3, 0, 3,
		{{TW_PLANE_NUMBER, 0, false}, {TW_PLANE_ID, 1, false}, {TW_PLANE_FLAGS, 2, false}}},
	[TW_FORM_SPEEDUP] = {6, 1 << 3, 4,
		{{TW_PLANE_FORCE, 0, false}, {TW_PLANE_MAX_SPEED, 1, false},
			{TW_PLANE_ID, 2, false}, {TW_PLANE_ANGLE, 4, true}}},
	[TW_FORM_OLD_SPEEDUP] = {4, 0, 2, {{TW_PLANE_FORCE, 0, false}, {TW_PLANE_ANGLE, 2, true}}},
};

const char *const tw_plane_names[TW_N_PLANES] = {
	[TW_PLANE_ID] = "id",
	[TW_PLANE_FLAGS] = "flags",
	[TW_PLANE_NUMBER] = "number",
	[TW_PLANE_FORCE] = "force",
	[TW_PLANE_MAX_SPEED] = "max_speed",
	[TW_PLANE_ANGLE] = "angle",
	[TW_PLANE_DELAY] = "delay",
};

const struct tw_tile_form *tw_tile_form(enum tw_form form)
{
	return tile_forms[form].size ? &tile_forms[form] : NULL;
}

const struct tw_plane_at *tw_plane_in(enum tw_form form, enum tw_plane plane)
{
	const struct tw_tile_form *t = &tile_forms[form];

	for (unsigned i = 0; i < t->n; i++)
		if (t->planes[i].plane == plane)
			return &t->planes[i];
	return NULL;
}

const struct tw_plane_at *tw_plane_usual(enum tw_plane plane)
{
	const struct tw_plane_at *at = NULL;

	for (int form = TW_FORM_TILES; !at && form < TW_N_FORMS; form++)
		if (tw_tile_form((enum tw_form)form))
			at = tw_plane_in((enum tw_form)form, plane);
	return at;
}

/* All forms of the tiles in the own field of a kind, largest tile first. Ends with TW_FORM_NONE. */
static const enum tw_form *list_forms(int32_t kind)
{
	static const enum tw_form tiles[] = {TW_FORM_TILES, TW_FORM_NONE};
	static const enum tw_form pair[] = {TW_FORM_PAIR, TW_FORM_NONE};
	static const enum tw_form speedup[] = {TW_FORM_SPEEDUP, TW_FORM_OLD_SPEEDUP, TW_FORM_NONE};
	static const enum tw_form switches[] = {
		TW_FORM_SWITCH, TW_FORM_SWITCH3, TW_FORM_PAIR, TW_FORM_NONE};

	switch (kind) {
	case 2:
	case 32:
		return pair;
	case 4:
		return speedup;
	case 16:
		return switches;
	default:
		return tiles;
	}
}

enum tw_form tw_kind_form(int32_t kind)
{
	return *list_forms(kind);
}

/* Fill *ret for a field, except form and size. Returns false if it has no tiles. */
static bool find_tiles(
	const struct tw_map *m, const struct tw_item *it, int field, struct tw_tiles *ret)
{
	if (field < 0 || it->ints->v[TW_TILES_WIDTH] <= 0 || it->ints->v[TW_TILES_HEIGHT] <= 0)
		return false;
	*ret = (struct tw_tiles){
		.blob = tw_get_blob(m, it, (uint32_t)field),
		.field = (uint32_t)field,
		.w = (uint32_t)it->ints->v[TW_TILES_WIDTH],
		.h = (uint32_t)it->ints->v[TW_TILES_HEIGHT],
		.packed = field == TW_TILES_DATA &&
			  it->ints->v[TW_LAYER_VERSION] >= TW_TILES_PACKED_SINCE,
	};
	return ret->blob;
}

bool tw_get_tiles(const struct tw_map *m, const struct tw_item *it, struct tw_tiles *ret)
{
	int field = tw_is_tiles(it) ? tw_tiles_field(it) : -1;
	const enum tw_form *form;
	uint64_t count;

	if (!find_tiles(m, it, field, ret))
		return false;
	count = (uint64_t)ret->w * ret->h;
	if (ret->packed)
		count = (count + 255) / 256;
	for (form = list_forms(field != TW_TILES_DATA ? it->ints->v[TW_TILES_KIND] : 0); *form;
		form++)
		if (blob_size(ret->blob) / tile_forms[*form].size >= count)
			break;
	ret->form = *form;
	ret->size = tile_forms[*form].size;
	return ret->form != TW_FORM_NONE;
}

bool tw_get_unused_tiles(const struct tw_map *m, const struct tw_item *it, struct tw_tiles *ret)
{
	int own = tw_is_tiles(it) ? tw_tiles_field(it) : -1;

	if (own < 0 || own == TW_TILES_DATA || !find_tiles(m, it, TW_TILES_DATA, ret))
		return false;
	ret->form = TW_FORM_TILES;
	ret->size = tile_forms[TW_FORM_TILES].size;
	return true;
}

enum tw_form tw_layer_form(const struct tw_map *m, const struct tw_item *it)
{
	struct tw_tiles tiles;

	if (tw_get_tiles(m, it, &tiles))
		return tiles.form;
	return tw_list_form(m, it);
}

int tw_layer_check(const struct tw_map *m, const struct tw_item *it, struct error *e)
{
	int32_t type = tw_get_int(it, TW_LAYER_TYPE, -1);
	bool tiles = type == TW_LAYER_TILES, list = type == TW_LAYER_QUADS ||
						    type == TW_LAYER_SOUNDS ||
						    type == TW_LAYER_OLD_SOUNDS;
	const int32_t *v = it->ints->v;
	uint32_t least = tiles ? TW_TILES_MIN : TW_LIST_MIN;
	int own;

	if ((!tiles && !list) || tw_layer_form(m, it) != TW_FORM_NONE)
		return 0;
	if (it->ints->n < least)
		return error_set(e, -EIO, "has %u integers (at least %u)", it->ints->n, least);
	if (list)
		return error_set(e, -EIO, "count is %d (its data has %" PRIu64 ")",
			v[TW_LIST_COUNT], tw_list_room(m, it));
	own = tw_tiles_field(it);
	return error_set(e, -EIO, "%" PRIu64 " bytes are too few for %d x %d tiles",
		own >= 0 && tw_get_blob(m, it, (uint32_t)own)
			? blob_size(tw_get_blob(m, it, (uint32_t)own))
			: 0,
		v[TW_TILES_WIDTH], v[TW_TILES_HEIGHT]);
}

bool tw_is_game(const struct tw_item *it)
{
	return tw_is_tiles(it) && it->ints->v[TW_TILES_KIND] == TW_KIND_GAME;
}

const struct tw_item *tw_game_layer(const struct tw_map *m)
{
	const struct tw_type *t = tw_type(m, TW_LAYER);

	for (uint32_t i = t ? t->n : 0; i-- > 0;)
		if (tw_is_game(&m->items[t->items[i]]))
			return &m->items[t->items[i]];
	return NULL;
}
