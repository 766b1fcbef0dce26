/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/initial.h"

#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/model/fields.h"

enum {
	GROUP_LENGTH = 15,
	ENVELOPE_LENGTH = 13,
	NAME_LENGTH = 3,
	LIST_NAMELESS = 7,
	LIST_LENGTH = 10,
	SPECIAL_FIELDS = 5, /* tele, speedup, front, switch, tune */
	FULL_PARALLAX = 100,
	WHITE = 255,
};

struct tw_ints *tw_initial_group(void)
{
	struct tw_ints *v = tw_ints_new(GROUP_LENGTH);

	if (!v)
		return NULL;
	v->v[0] = 3;
	v->v[3] = v->v[4] = FULL_PARALLAX;
	tw_name_clear(v->v + TW_GROUP_NAME, NAME_LENGTH);
	return v;
}

int32_t tw_group_default_zoom(const struct tw_item *group)
{
	int32_t x = tw_get_int(group, 3, FULL_PARALLAX), y = tw_get_int(group, 4, FULL_PARALLAX);
	int32_t zoom = x > y ? x : y;

	return zoom < 0 ? 0 : zoom > FULL_PARALLAX ? FULL_PARALLAX : zoom;
}

struct tw_ints *tw_initial_ext(int32_t zoom)
{
	struct tw_ints *v = tw_ints_new(TW_EXT_LENGTH);

	if (v) {
		v->v[TW_EXT_VERSION] = 1;
		v->v[TW_EXT_ZOOM] = zoom;
	}
	return v;
}

struct tw_ints *tw_initial_envelope(int32_t version, int32_t channels)
{
	struct tw_ints *v = tw_ints_new(ENVELOPE_LENGTH);

	if (!v)
		return NULL;
	v->v[0] = version;
	v->v[TW_ENV_CHANNELS] = channels;
	tw_name_clear(v->v + TW_ENV_NAME, TW_ENV_SYNCHRONIZED - TW_ENV_NAME);
	return v;
}

bool tw_is_special(int32_t kind)
{
	return kind == 2 || kind == 4 || kind == 8 || kind == 16 || kind == 32;
}

/* Version 4 is from Teeworlds, which has no fields for physics layers of DDNet. */
static uint32_t tiles_length(int32_t version, int32_t kind)
{
	uint32_t n = version < 3 ? TW_TILES_MIN : TW_TILES_MIN + NAME_LENGTH;

	return tw_is_special(kind) || version == 3 ? n + SPECIAL_FIELDS : n;
}

struct tw_ints *tw_initial_tiles(int32_t version, int32_t kind, int32_t w, int32_t h)
{
	struct tw_ints *v = tw_ints_new(tiles_length(version, kind));

	if (!v)
		return NULL;
	v->v[TW_LAYER_TYPE] = TW_LAYER_TILES;
	v->v[TW_LAYER_VERSION] = version;
	v->v[TW_TILES_WIDTH] = w;
	v->v[TW_TILES_HEIGHT] = h;
	v->v[TW_TILES_KIND] = kind;
	for (int i = 0; i < 4; i++)
		v->v[TW_TILES_COLOR + i] = WHITE;
	v->v[TW_TILES_ENVELOPE] = -1;
	for (uint32_t i = TW_TILES_IMAGE; i < v->n; i++)
		v->v[i] = -1;
	if (version >= 3)
		tw_name_clear(v->v + TW_TILES_MIN, NAME_LENGTH);
	return v;
}

struct tw_ints *tw_initial_layer(int32_t type, int32_t version)
{
	bool list =
		type == TW_LAYER_QUADS || type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS;
	bool named = list && (version >= 2 || type != TW_LAYER_QUADS);
	struct tw_ints *v = tw_ints_new(named  ? LIST_LENGTH
					: list ? LIST_NAMELESS
					       : TW_LAYER_DETAIL + 1);

	if (!v)
		return NULL;
	v->v[TW_LAYER_TYPE] = type;
	if (!list)
		return v;
	v->v[TW_LAYER_VERSION] = version;
	v->v[TW_LIST_DATA] = v->v[TW_LIST_SOURCE] = -1;
	if (named)
		tw_name_clear(v->v + TW_LIST_NAME, NAME_LENGTH);
	return v;
}
