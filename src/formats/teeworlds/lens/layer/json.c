/* SPDX-License-Identifier: Zlib */
/* json: layer.json (layout rule 16). */
#include <errno.h>

#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/tiles_compose.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/automapper.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/lens/parsed.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

enum { COLOR_MAX = 255 };

#define BASE_KEYS                                                                                  \
	{"type", .first = TW_LAYER_TYPE, .n = 1, .is_fixed = true, .words = tw_type_words},        \
	{                                                                                          \
		"detail", .first = TW_LAYER_DETAIL, .n = 1, .words = json_flags                    \
	}

/* DDNet's engine/shared/map.cpp requires sides of at least 2. */
static const struct tw_key tiles_keys[] = {
	BASE_KEYS,
	{"version", .first = TW_LAYER_VERSION, .n = 1, .min = 2, .max = 4},
	{"width", .first = TW_TILES_WIDTH, .n = 1, .min = 2, .max = INT32_MAX},
	{"height", .first = TW_TILES_HEIGHT, .n = 1, .min = 2, .max = INT32_MAX},
	{"kind", .first = TW_TILES_KIND, .n = 1, .is_fixed = true, .words = tw_kind_words},
	{"color", .first = TW_TILES_COLOR, .n = 4},
	{"color_envelope", .first = TW_TILES_ENVELOPE, .n = 1, .ref = TW_REF_COLOR_ENVELOPE},
	{"color_envelope_offset", .first = TW_TILES_ENVELOPE_OFFSET, .n = 1},
	{"image", .first = TW_TILES_IMAGE, .n = 1, .ref = TW_REF_IMAGE},
	{NULL},
};

/* No game limits the version of quads layers. */
static const struct tw_key quads_keys[] = {
	BASE_KEYS,
	{"version", .first = TW_LAYER_VERSION, .n = 1},
	{"image", .first = TW_LIST_SOURCE, .n = 1, .ref = TW_REF_IMAGE},
	{NULL},
};

static const struct tw_key sounds_keys[] = {
	BASE_KEYS,
	{"version", .first = TW_LAYER_VERSION, .n = 1, .min = 1, .max = 2},
	{"sound", .first = TW_LIST_SOURCE, .n = 1, .ref = TW_REF_SOUND},
	{NULL},
};

static const struct tw_key base_keys[] = {
	BASE_KEYS,
	{NULL},
};

static const char automapper_key[] = "automapper";

#define LAYOUT(of)                                                                                 \
	{                                                                                          \
		.keys = (of), .type = TW_LAYER, .version_at = TW_LAYER_VERSION,                    \
		.convert = tw_layer_convert                                                        \
	}

static const struct tw_layout tiles_layout = LAYOUT(tiles_keys), quads_layout = LAYOUT(quads_keys),
			      sounds_layout = LAYOUT(sounds_keys),
			      base_layout = LAYOUT(base_keys); /* of a type that is not known */

static const struct tw_layout *layout_of(const struct tw_ints *v)
{
	switch (v->n > TW_LAYER_TYPE ? v->v[TW_LAYER_TYPE] : -1) {
	case TW_LAYER_TILES:
		return &tiles_layout;
	case TW_LAYER_QUADS:
		return &quads_layout;
	case TW_LAYER_SOUNDS:
	case TW_LAYER_OLD_SOUNDS:
		return &sounds_layout;
	default:
		return &base_layout;
	}
}

static int write_layer(
	struct jsonw *w, const struct tw_map *m, entry_id id, uint64_t, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_LAYER, tw_id_b(id));
	struct tw_record rec;

	if (!it)
		return error_set(e, -ENOENT, "no such layer");
	if (tw_is_empty(it))
		return error_set(e, -ENODATA, "the layer has no content yet");
	rec = tw_record_of(layout_of(it->ints), it->ints);
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	if (rec.keys == tiles_keys) {
		jsonw_key(w, automapper_key);
		tw_automapper_write(w, m, tw_id_a(id), tw_id_b(id));
	}
	jsonw_end(w);
	return 0;
}

/* Check changed parts of a design layer's color, whose range DDNet requires. */
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

static bool has_same_size(const struct tw_ints *a, const struct tw_ints *b)
{
	return a->v[TW_TILES_WIDTH] == b->v[TW_TILES_WIDTH] &&
	       a->v[TW_TILES_HEIGHT] == b->v[TW_TILES_HEIGHT];
}

enum { USUAL_SIDE = 50 };

/* Find the size of the game layer, or the default for a map without one. */
static void find_map_size(const struct tw_map *m, int32_t *ret_w, int32_t *ret_h)
{
	const struct tw_item *game = tw_game_layer(m);

	*ret_w = game ? game->ints->v[TW_TILES_WIDTH] : USUAL_SIDE;
	*ret_h = game ? game->ints->v[TW_TILES_HEIGHT] : USUAL_SIDE;
}

static int get_within(const struct json_at *root, const char *key, int32_t min, int32_t max,
	int32_t *ret, struct error *e)
{
	struct json_at at;
	int64_t v;
	int r;

	if (!json_get(root, key, &at))
		return 0;
	r = json_as_int_within(&at, min, max, &v, e);
	if (r == 0)
		*ret = (int32_t)v;
	return r;
}

static int make_tiles(
	const struct json_at *root, const struct tw_map *m, struct tw_ints **ret, struct error *e)
{
	int32_t version = 3, kind = 0, w, h;
	struct json_at at;
	int r;

	find_map_size(m, &w, &h);
	r = get_within(root, "version", 2, 4, &version, e);
	if (r == 0)
		r = json_get_word(root, "kind", tw_kind_words, &kind, NULL, e);
	if (r == 0)
		r = get_within(root, "width", TW_SIDE_MIN, INT32_MAX, &w, e);
	if (r == 0)
		r = get_within(root, "height", TW_SIDE_MIN, INT32_MAX, &h, e);
	if (r < 0)
		return r;
	if (kind != 0 && kind != 1 && !tw_is_special(kind)) {
		json_get(root, "kind", &at);
		return json_refuse_word(&at, tw_kind_words, e);
	}
	if ((int64_t)w * h > INT32_MAX / TW_TILE_MAX)
		return error_set(e, -EINVAL, "width x height is %lld tiles (at most %d)",
			(long long)w * h, INT32_MAX / TW_TILE_MAX);
	*ret = tw_initial_tiles(version, kind, w, h);
	return *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

/* Make the item of a new layer.json: its type, version, kind and size, the rest as in
 * item/initial.h. -EINVAL: one of these is invalid. */
static int make_item(
	const struct json_at *root, const struct tw_map *m, struct tw_ints **ret, struct error *e)
{
	int32_t type = 0, version = 2;
	struct json_at at;
	int r = json_need(root, "type", &at, e);

	if (r == 0)
		r = json_as_word(&at, tw_type_words, &type, e);
	if (r < 0)
		return r;
	if (type == TW_LAYER_TILES)
		return make_tiles(root, m, ret, e);
	if (type == TW_LAYER_QUADS)
		r = json_get_int(root, "version", &version, NULL, e);
	else if (type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS)
		r = get_within(root, "version", 1, 2, &version, e);
	if (r < 0)
		return r;
	*ret = tw_initial_layer(type, version);
	return *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

static int add_tiles(const struct tw_map *m, uint32_t item, const struct tw_ints *ints,
	uint32_t field, enum tw_form form, struct tw_change *c, struct error *e)
{
	const struct tw_tiles none = {.form = form};
	const struct tw_tiles_step step = {.kind = TW_TILES_REFIT,
		.w = (uint32_t)ints->v[TW_TILES_WIDTH],
		.h = (uint32_t)ints->v[TW_TILES_HEIGHT],
		.form = form,
		.packed = field == TW_TILES_DATA &&
			  ints->v[TW_LAYER_VERSION] >= TW_TILES_PACKED_SINCE};
	struct blob *blob;
	int r = tw_tiles_compose(
		m, &none, &step, tw_change_previous_blob(c, item, field), &blob, e);

	if (r == 0)
		tw_change_set_data(c, item, field, blob);
	return r;
}

static int add_list(const struct tw_map *m, uint32_t item, const struct tw_list_shape *shape,
	struct tw_change *c, struct error *e)
{
	struct blob *blob;
	int r = tw_compose_zeros(m, 4 * (size_t)shape->ints, &blob, e);

	if (r == 0)
		tw_change_set_data(c, item, TW_LIST_DATA, blob);
	return r;
}

/* Set the integers of a new layer (taken over), and give it zero tiles or an empty list. */
static int make_data(const struct tw_map *m, uint32_t item, struct tw_ints *ints,
	struct tw_change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *own = ints;
	struct tw_item as_made = {.type = TW_LAYER, .ints = own};
	const struct tw_list_shape *shape = tw_list_shape(tw_list_form(m, &as_made));
	int32_t kind;
	int r;

	tw_change_set_ints(c, item, tw_ints_ref(own));
	if (shape)
		return add_list(m, item, shape, c, e);
	if (!tw_is_tiles(&as_made))
		return 0;
	kind = own->v[TW_TILES_KIND];
	r = add_tiles(m, item, own, TW_TILES_DATA, TW_FORM_TILES, c, e);
	if (r == 0 && tw_is_special(kind))
		r = add_tiles(
			m, item, own, (uint32_t)tw_tiles_field(&as_made), tw_kind_form(kind), c, e);
	return r;
}

/* Make the item that the file describes. *ret_old is the item before its keys were applied; for a
 * new layer that is the result of make_item. */
static int read_item(const struct json_at *root, const struct tw_naming *names,
	const struct tw_item *it, struct tw_ints **ret_old, struct tw_ints **ret, struct error *e)
{
	bool empty = tw_is_empty(it);
	CLEANUP(tw_ints_unref)
	struct tw_ints *old = empty ? NULL : tw_ints_ref(it->ints), *fresh = NULL;
	int r = empty ? make_item(root, names->m, &old, e) : 0;
	const struct tw_layout *l;

	if (r < 0)
		return r;
	l = layout_of(old);
	r = tw_record_expect(root, l->keys, l == &tiles_layout ? automapper_key : NULL, e);
	if (r == 0)
		r = tw_record_item(root, names, l, old, &fresh, e);
	if (r == 0 && l == &tiles_layout)
		r = check_color(root, old, fresh, e);
	if (r < 0)
		return r;
	*ret_old = TAKE(old);
	*ret = TAKE(fresh);
	return 0;
}

static int apply_item(const struct json_at *root, const struct tw_map *m, uint32_t item,
	struct tw_change *c, struct error *e)
{
	const struct tw_item *it = &m->items[item];
	const struct tw_naming names = {m, c->others, it->made_name, NULL};
	bool empty = tw_is_empty(it);
	CLEANUP(tw_ints_unref) struct tw_ints *old = NULL, *fresh = NULL;
	int r = read_item(root, &names, it, &old, &fresh, e);

	if (r < 0)
		return r;
	if (empty)
		return make_data(m, item, TAKE(fresh), c, e);
	if (tw_ints_same(fresh, old))
		return 0;
	if (tw_is_tiles(it) && !has_same_size(old, fresh) &&
		tw_plane_is_waiting(m, item, c->others))
		return error_set(e, -EAGAIN, "the tables of the layer are applied first");
	return tw_layer_reshape(m, item, TAKE(fresh), c, e);
}

static int layer_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_LAYER, tw_id_b(id));
	CLEANUP(parsed_unref) struct parsed *p = NULL;
	CLEANUP(tw_ints_unref) struct tw_ints *old = NULL, *fresh = NULL;
	CLEANUP_JSON struct json_doc doc = {0};
	bool differs = false;
	const struct tw_naming names = {m, NULL, false, &differs};
	struct json_at root, at;
	int r;

	if (!it)
		return error_set(e, -ENOENT, "no such layer");
	r = tw_parsed_json(in, &p, &doc, e);
	if (r < 0)
		return r;
	root = json_root(&doc);
	r = read_item(&root, &names, it, &old, &fresh, e);
	if (r == 0 && json_get(&root, automapper_key, &at))
		r = tw_automapper_parse(&at, m, tw_id_a(id), tw_id_b(id), NULL, &differs, e);
	if (r == 0 && !tw_is_empty(it))
		r = tw_layer_can_reshape(m, it, fresh, e);
	if (r < 0)
		return r;
	p->is_unchanged = !differs && !tw_is_empty(it) && tw_ints_same(old, fresh);
	*ret = TAKE(p);
	return 0;
}

static int layer_apply(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e)
{
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root, at;
	bool differs = false;
	uint32_t item;
	int r;

	if (tw_find_item(c->base, TW_LAYER, tw_id_b(id), &item) < 0)
		return error_set(e, -ENOENT, "no such layer");
	r = tw_parsed_json_load(p, &doc, e);
	if (r < 0)
		return r;
	root = json_root(&doc);
	r = apply_item(&root, c->base, item, c, e);
	if (r == 0 && json_get(&root, automapper_key, &at))
		r = tw_automapper_parse(&at, c->base, tw_id_a(id), tw_id_b(id), c, &differs, e);
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
	.write = write_layer,
	.is_restored = true,
	.max_size = JSON_TEXT_MAX,
	.parse = layer_parse,
	.apply = layer_apply,
	.touch = layer_touch,
};
