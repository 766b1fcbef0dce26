/* SPDX-License-Identifier: Zlib */
/* json: layer.json (layout rule 16). */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/automapper.h"
#include "formats/teeworlds/lens/layer/make.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/situation.h"

enum { COLOR_MAX = 255 };

#define BASE_KEYS                                                                                  \
	{"type", .at = TW_LAYER_TYPE, .n = 1, .fixed = true, .words = tw_type_words},              \
	{                                                                                          \
		"detail", .at = TW_LAYER_DETAIL, .n = 1, .words = json_flags                       \
	}

/* The sides: what DDNet's engine/shared/map.cpp insists on. */
static const struct tw_key tiles_keys[] = {
	BASE_KEYS,
	{"version", .at = TW_LAYER_VERSION, .n = 1, .min = 2, .max = 4},
	{"width", .at = TW_TILES_WIDTH, .n = 1, .min = 2, .max = INT32_MAX},
	{"height", .at = TW_TILES_HEIGHT, .n = 1, .min = 2, .max = INT32_MAX},
	{"kind", .at = TW_TILES_KIND, .n = 1, .fixed = true, .words = tw_kind_words},
	{"color", .at = TW_TILES_COLOR, .n = 4},
	{"color_envelope", .at = TW_TILES_ENVELOPE, .n = 1, .ref = TW_REF_COLOR_ENVELOPE},
	{"color_envelope_offset", .at = TW_TILES_ENVELOPE_OFFSET, .n = 1},
	{"image", .at = TW_TILES_IMAGE, .n = 1, .ref = TW_REF_IMAGE},
	{NULL},
};

static const struct tw_key quads_keys[] = {
	BASE_KEYS,
	{"version", .at = TW_LAYER_VERSION, .n = 1, .min = 1, .max = 2},
	{"image", .at = TW_LIST_SOURCE, .n = 1, .ref = TW_REF_IMAGE},
	{NULL},
};

static const struct tw_key sounds_keys[] = {
	BASE_KEYS,
	{"version", .at = TW_LAYER_VERSION, .n = 1, .min = 1, .max = 2},
	{"sound", .at = TW_LIST_SOURCE, .n = 1, .ref = TW_REF_SOUND},
	{NULL},
};

static const struct tw_key base_keys[] = {
	BASE_KEYS,
	{NULL},
};

static const char automapper_key[] = "automapper";

static const struct tw_key *keys_of(const struct tw_ints *v)
{
	switch (v->n > TW_LAYER_TYPE ? v->v[TW_LAYER_TYPE] : -1) {
	case TW_LAYER_TILES:
		return tiles_keys;
	case TW_LAYER_QUADS:
		return quads_keys;
	case TW_LAYER_SOUNDS:
	case TW_LAYER_OLD_SOUNDS:
		return sounds_keys;
	default:
		return base_keys;
	}
}

static int write_layer(struct jsonw *w, const struct tw_map *m, entry_id id, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_LAYER, tw_id_b(id));
	struct tw_record rec;

	if (!it)
		return error_set(e, -ENOENT, "no such layer");
	if (tw_is_empty(it))
		return error_set(e, -ENODATA, "the layer has no content yet");
	rec = (struct tw_record){.keys = keys_of(it->ints), .v = it->ints->v, .n = it->ints->n};
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	if (rec.keys == tiles_keys) {
		jsonw_key(w, automapper_key);
		tw_automapper_write(w, m, tw_id_a(id), tw_id_b(id));
	}
	jsonw_end(w);
	return 0;
}

static int layer_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	struct jsonw w;
	int r;

	jsonw_to_nowhere(&w);
	r = write_layer(&w, m, id, e);
	if (r < 0)
		return r;
	tw_stat_file(ret, w.size, true);
	ret->needed = true;
	return 0;
}

static int layer_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct jsonw w;

	jsonw_to_range(&w, off, dst, n);
	return write_layer(&w, m, id, e);
}

/* A design layer's color as DDNet insists on it, where it is changed. */
static int check_color(const struct json_at *root, const struct tw_ints *old,
	const struct tw_ints *fresh, struct error *e)
{
	struct json_at color, part;

	if (fresh->n < TW_TILES_COLOR + 4 || fresh->v[TW_TILES_KIND] != 0 ||
		!json_get(root, "color", &color))
		return 0;
	for (unsigned i = 0; i < 4; i++) {
		int32_t v = fresh->v[TW_TILES_COLOR + i];

		part = json_element(&color, i);
		if (v != old->v[TW_TILES_COLOR + i] && (v < 0 || v > COLOR_MAX))
			return json_refuse(&part, e, "must be 0 to %d", COLOR_MAX);
	}
	return 0;
}

/* A version below the one that has names would take the layer's, which is not this file's. */
static void keep_name(const struct tw_ints *old, struct tw_ints *values)
{
	int32_t type = old->n > TW_LAYER_VERSION ? old->v[TW_LAYER_TYPE] : -1;
	uint32_t at = type == TW_LAYER_TILES ? TW_TILES_MIN : TW_LIST_NAME;
	int32_t since = type == TW_LAYER_TILES ? 3 : 2;

	if ((type == TW_LAYER_TILES || type == TW_LAYER_QUADS) &&
		old->v[TW_LAYER_VERSION] >= since && values->v[TW_LAYER_VERSION] < since &&
		tw_has_short_name(old, at))
		values->v[TW_LAYER_VERSION] = since;
}

static int take_item(const struct json_at *root, const struct tw_map *m, uint32_t item,
	struct tw_change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *values = NULL, *fresh = NULL;
	struct tw_ints *old = m->items[item].ints;
	struct tw_record rec = {.keys = keys_of(old), .is_new = m->items[item].made};
	int r;

	values = tw_ints_copy(old, old->n, 0);
	if (!values)
		return error_set(e, -ENOMEM, "no memory for a layer");
	rec.v = values->v;
	rec.n = values->n;
	r = tw_record_read(root, m, &rec, e);
	if (r == 0 && rec.keys == tiles_keys)
		r = check_color(root, old, values, e);
	if (r == 0)
		keep_name(old, values);
	if (r < 0 || memcmp(values->v, old->v, 4 * (size_t)old->n) == 0)
		return r;
	if (rec.keys == base_keys || old->n <= TW_LAYER_VERSION ||
		old->v[TW_LAYER_VERSION] == values->v[TW_LAYER_VERSION]) {
		fresh = TAKE(values);
	} else {
		int32_t version = values->v[TW_LAYER_VERSION];

		values->v[TW_LAYER_VERSION] = old->v[TW_LAYER_VERSION];
		fresh = tw_layer_to(values, version);
	}
	if (!fresh)
		return error_set(e, -ENOMEM, "no memory for a layer");
	return tw_layer_reshape(m, item, TAKE(fresh), c, e);
}

/* The first layer.json of a new layer says what it is. */
static int make_item(const struct json_at *root, const struct tw_map *m, uint32_t item,
	struct tw_change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *first = NULL, *values = NULL;
	struct tw_record rec = {.is_new = true};
	int r = tw_layer_make(root, m, &first, e);

	if (r < 0)
		return r;
	values = tw_ints_copy(first, first->n, 0);
	if (!values)
		return error_set(e, -ENOMEM, "no memory for a layer");
	rec.keys = keys_of(first);
	rec.v = values->v;
	rec.n = values->n;
	r = tw_record_expect(root, rec.keys, rec.keys == tiles_keys ? automapper_key : NULL, e);
	if (r == 0)
		r = tw_record_read(root, m, &rec, e);
	if (r == 0 && rec.keys == tiles_keys)
		r = check_color(root, first, values, e);
	return r < 0 ? r : tw_layer_make_data(m, item, TAKE(values), c, e);
}

static int change_item(const struct json_at *root, const struct tw_map *m, uint32_t item,
	struct tw_change *c, struct error *e)
{
	const struct tw_key *keys = keys_of(m->items[item].ints);
	int r = tw_record_expect(root, keys, keys == tiles_keys ? automapper_key : NULL, e);

	return r < 0 ? r : take_item(root, m, item, c, e);
}

/* Where all is known that was written, tables of the size that the layer had are put before it gets
 * another, and those that want another learn that this file decides. */
static bool waits_for_tables(const struct tw_map *m, uint32_t item)
{
	const struct tw_item *it = &m->items[item];

	return tw_situation_last(m) && !tw_is_empty(it) && tw_is_tiles(it) && !it->wanted.decided;
}

static int layer_parse(const struct tw_map *m, entry_id id, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root, at;
	uint32_t item;
	int r;

	if (tw_at(m, TW_LAYER, tw_id_b(id), &item) < 0)
		return error_set(e, -ENOENT, "no such layer");
	r = json_doc_load(in, JSON_TEXT_MAX, &doc, e);
	if (r < 0)
		return r == -EFBIG ? error_set(e, -EINVAL, "the file is larger than 64 KiB") : r;
	root = json_root(&doc);
	if (waits_for_tables(m, item)) {
		tw_change_wanted(c, item, &(struct tw_wanted){.decided = true});
		return error_set(e, -EAGAIN, "the layer's tables come first");
	}
	if (tw_is_empty(&m->items[item]))
		r = make_item(&root, m, item, c, e);
	else
		r = change_item(&root, m, item, c, e);
	if (r == 0 && json_get(&root, automapper_key, &at))
		r = tw_automapper_parse(&at, m, tw_id_a(id), tw_id_b(id), c, e);
	if (r == 0 || r == -EAGAIN)
		tw_change_waits(c, item, r == -EAGAIN);
	/* Whatever size it says, even the one there is, tables that want another do not decide. */
	if (r == 0 && (c->n_edits || m->items[item].wanted.planes))
		tw_change_wanted(c, item, &(struct tw_wanted){.decided = true});
	return r;
}

static void layer_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	uint32_t group, layer;

	if (m->items[item].type == TW_LAYER)
		tw_touch_layer(m, item, TW_K_LAYER_JSON, 0, t);
	else if (tw_automapper_layer(m, item, &group, &layer))
		touched_add(t, tw_id2(TW_K_LAYER_JSON, group, layer, 0));
}

const struct tw_kind tw_kind_layer_json = {
	.label = "layer.json",
	.stat = layer_stat,
	.get = layer_get,
	.most = JSON_TEXT_MAX,
	.parse = layer_parse,
	.touch = layer_touch,
};
