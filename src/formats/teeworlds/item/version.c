/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/version.h"

#include <string.h>

#include "formats/teeworlds/model/fields.h"

enum {
	LAYER_NAME = 3, /* integers of a layer's or group's name */
	ENVELOPE_NAME_INTS = 8,
	GROUP_CLIPS = 12, /* integers of a version-2 group, without its name */
	NAMED_LIST = 10,  /* integers of a quads or sounds layer that has a name */
};

bool tw_name_place(const struct tw_item *it, struct tw_name_place *ret)
{
	static const struct {
		uint16_t type;
		int32_t layer;
		struct tw_name_place place;
	} places[] = {
		{TW_ENVELOPE, 0, {TW_ENV_NAME, ENVELOPE_NAME_INTS, 0, INT32_MIN}},
		{TW_GROUP, 0, {TW_GROUP_NAME, LAYER_NAME, 0, 3}},
		{TW_LAYER, TW_LAYER_TILES, {TW_TILES_MIN, LAYER_NAME, TW_LAYER_VERSION, 3}},
		{TW_LAYER, TW_LAYER_QUADS, {TW_LIST_NAME, LAYER_NAME, TW_LAYER_VERSION, 2}},
		{TW_LAYER, TW_LAYER_SOUNDS,
			{TW_LIST_NAME, LAYER_NAME, TW_LAYER_VERSION, INT32_MIN}},
		{TW_LAYER, TW_LAYER_OLD_SOUNDS,
			{TW_LIST_NAME, LAYER_NAME, TW_LAYER_VERSION, INT32_MIN}},
	};
	int32_t layer = it->type == TW_LAYER ? tw_get_int(it, TW_LAYER_TYPE, -1) : 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		*ret = places[i].place;
		if (places[i].type == it->type && places[i].layer == layer)
			return it->type != TW_LAYER || it->ints->n >= ret->at;
	}
	return false;
}

bool tw_has_name(const struct tw_item *it, const struct tw_name_place *p)
{
	return it->ints->n >= p->at + p->n && tw_get_int(it, p->version, 0) >= p->since;
}

struct tw_ints *tw_name_make_room(const struct tw_item *it, const struct tw_name_place *p)
{
	int32_t version = tw_get_int(it, p->version, 0), least = p->since == 3 ? 3 : 2;

	if (it->type == TW_ENVELOPE)
		return tw_ints_copy(it->ints, p->at + p->n, 0);
	if (it->type == TW_GROUP)
		return tw_group_convert(it->ints, p->since);
	return tw_layer_convert(it->ints, version < least ? least : version);
}

void tw_name_clear(int32_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		v[i] = (int32_t)0x80808080u;
	v[n - 1] = (int32_t)0x80808000u;
}

static uint32_t at_least(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

struct tw_ints *tw_group_convert(const struct tw_ints *v, int32_t version)
{
	uint32_t n = v->n;
	struct tw_ints *w;

	if (version >= 2)
		n = at_least(n, GROUP_CLIPS);
	if (version >= 3)
		n = at_least(n, TW_GROUP_NAME + LAYER_NAME);
	w = tw_ints_copy(v, n, 0);
	if (!w)
		return NULL;
	if (version >= 3 && v->n < TW_GROUP_NAME + LAYER_NAME)
		tw_name_clear(w->v + TW_GROUP_NAME, LAYER_NAME);
	w->v[0] = version;
	return w;
}

struct tw_ints *tw_envelope_convert(const struct tw_ints *v, int32_t version)
{
	uint32_t n = version >= 2 ? at_least(v->n, TW_ENV_SYNCHRONIZED + 1) : v->n;
	struct tw_ints *w = tw_ints_copy(v, n, 0);

	if (!w)
		return NULL;
	if (version >= 2 && v->n < TW_ENV_SYNCHRONIZED)
		tw_name_clear(w->v + TW_ENV_NAME, ENVELOPE_NAME_INTS);
	w->v[0] = version;
	return w;
}

/* Copy a tile layer, and add an empty name or remove the name. It is between TW_TILES_DATA and the
 * fields that DDNet added. */
static struct tw_ints *with_tiles_name(const struct tw_ints *v, bool named)
{
	uint32_t behind = named ? 0 : LAYER_NAME, name = LAYER_NAME - behind;
	uint32_t rest = v->n > TW_TILES_MIN + behind ? v->n - TW_TILES_MIN - behind : 0;
	struct tw_ints *w = tw_ints_new(TW_TILES_MIN + name + rest);

	if (!w)
		return NULL;
	memcpy(w->v, v->v, TW_TILES_MIN * sizeof(v->v[0]));
	if (named)
		tw_name_clear(w->v + TW_TILES_MIN, LAYER_NAME);
	memcpy(w->v + TW_TILES_MIN + name, v->v + TW_TILES_MIN + behind, rest * sizeof(v->v[0]));
	return w;
}

struct tw_ints *tw_layer_convert(const struct tw_ints *v, int32_t version)
{
	bool tiles = v->v[TW_LAYER_TYPE] == TW_LAYER_TILES && v->n >= TW_TILES_MIN;
	bool list = v->v[TW_LAYER_TYPE] != TW_LAYER_TILES && v->n >= TW_LIST_MIN;
	int32_t old = v->v[TW_LAYER_VERSION];
	struct tw_ints *w;

	if (tiles && version >= 3 && old < 3) {
		w = with_tiles_name(v, true);
	} else if (tiles && version < 3 && old >= 3) {
		w = with_tiles_name(v, false);
	} else if (list && version >= 2 && v->n < NAMED_LIST) {
		w = tw_ints_copy(v, NAMED_LIST, 0);
		if (w)
			tw_name_clear(w->v + TW_LIST_NAME, LAYER_NAME);
	} else {
		w = tw_ints_copy(v, v->n, 0);
	}
	if (w)
		w->v[TW_LAYER_VERSION] = version;
	return w;
}
