/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/layer/make.h"

#include <errno.h>

#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

enum { USUAL_SIDE = 50, TILE = 4 /* bytes of a design tile */ };

/* The size of the map, as its game layer has it. */
static void usual_size(const struct tw_map *m, int32_t *ret_w, int32_t *ret_h)
{
	const struct tw_item *game = tw_game_layer(m, NULL);

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

	usual_size(m, &w, &h);
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
	return *ret ? 0 : error_set(e, -ENOMEM, "no memory for a layer");
}

int tw_layer_make(
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
	if (type == TW_LAYER_QUADS || type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS)
		r = get_within(root, "version", 1, 2, &version, e);
	if (r < 0)
		return r;
	*ret = tw_initial_layer(type, version);
	return *ret ? 0 : error_set(e, -ENOMEM, "no memory for a layer");
}

static int add_tiles(const struct tw_map *m, uint32_t item, const struct tw_ints *ints,
	uint32_t field, uint8_t size, struct tw_change *c, struct error *e)
{
	bool packed = field == TW_TILES_DATA && ints->v[TW_LAYER_VERSION] >= 4;
	struct blob *blob = NULL;
	int r = tw_tiles_refit(m, NULL, (uint32_t)ints->v[TW_TILES_WIDTH],
		(uint32_t)ints->v[TW_TILES_HEIGHT], size, packed, &blob, e);

	if (r == 0)
		tw_change_data(c, item, field, blob);
	return r;
}

static int add_list(const struct tw_map *m, uint32_t item, const struct tw_list_shape *shape,
	struct tw_change *c, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *zeros = bytes_new(4 * (size_t)shape->ints, NULL);
	struct blob *blob = NULL;
	int r = zeros ? tw_keep_bytes(m, zeros, &blob, e)
		      : error_set(e, -ENOMEM, "no memory for a list");

	if (r == 0)
		tw_change_data(c, item, TW_LIST_DATA, blob);
	return r;
}

int tw_layer_make_data(const struct tw_map *m, uint32_t item, struct tw_ints *ints,
	struct tw_change *c, struct error *e)
{
	static const uint8_t sizes[] = {[2] = 2, [4] = 6, [8] = 4, [16] = 4, [32] = 2};
	CLEANUP(tw_ints_unref) struct tw_ints *own = ints;
	struct tw_item as_made = {.type = TW_LAYER, .ints = own};
	const struct tw_list_shape *shape = tw_list_shape(tw_list_form(m, &as_made));
	int32_t kind;
	int r;

	tw_change_item(c, item, tw_ints_ref(own));
	if (shape)
		return add_list(m, item, shape, c, e);
	if (!tw_is_tiles(&as_made))
		return 0;
	kind = own->v[TW_TILES_KIND];
	r = add_tiles(m, item, own, TW_TILES_DATA, TILE, c, e);
	if (r == 0 && tw_is_special(kind))
		r = add_tiles(m, item, own, (uint32_t)tw_tiles_field(&as_made), sizes[kind], c, e);
	return r;
}
