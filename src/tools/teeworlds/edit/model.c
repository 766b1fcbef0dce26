/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/edit/model.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "codec/blob_equal.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/model/store.h"
#include "tools/common/path_pattern.h"

static int no_memory(struct error *e)
{
	return error_set(e, -ENOMEM, "out of memory");
}

static void init_layer(const struct tw_map *m, uint32_t position, const char *const *patterns,
	struct edit_layer *l)
{
	const struct tw_item *it;

	l->item = tw_type(m, TW_LAYER)->items[position];
	l->group = tw_find_group(m, position);
	it = &m->items[l->item];
	tw_path_layer(m, l->item, l->path);
	l->is_selected = l->group >= 0 && (!patterns || path_matches_any(patterns, l->path));
	l->form = tw_layer_form(m, it);
	if (tw_get_tiles(m, it, &l->tiles)) {
		l->w = l->tiles.w;
		l->h = l->tiles.h;
	} else if (l->form != TW_FORM_NONE) {
		l->n = (uint32_t)it->ints->v[TW_LIST_COUNT];
	}
}

static int check_patterns(
	const struct edit_model *model, const char *const *patterns, struct error *e)
{
	for (; patterns && *patterns; patterns++) {
		uint32_t i = 0;

		while (i < model->n_layers &&
			(model->layers[i].group < 0 ||
				!path_matches(*patterns, model->layers[i].path)))
			i++;
		if (i == model->n_layers)
			return error_set(e, -ENOENT, "%s: no such layer", *patterns);
	}
	return 0;
}

int edit_model_open(struct edit_model *model, const struct tw_map *m, const char *const *layers,
	struct error *e)
{
	const struct edit_layer *game;

	*model = (struct edit_model){.m = m};
	if (!tw_is_typed(m))
		return error_set(e, -EINVAL, "cannot tell what the map contains");
	model->layers = calloc((size_t)tw_count(m, TW_LAYER) + 1, sizeof(*model->layers));
	model->groups = calloc((size_t)tw_count(m, TW_GROUP) + 1, sizeof(*model->groups));
	model->opacities = calloc((size_t)tw_count(m, TW_IMAGE) + 1, sizeof(*model->opacities));
	if (!model->layers || !model->groups || !model->opacities)
		return no_memory(e);
	model->n_layers = tw_count(m, TW_LAYER);
	for (uint32_t i = 0; i < model->n_layers; i++)
		init_layer(m, i, layers, &model->layers[i]);
	for (uint32_t i = 0; i < tw_count(m, TW_GROUP); i++) {
		uint32_t item = tw_type(m, TW_GROUP)->items[i];
		const struct tw_ints *ints = m->items[item].ints;

		model->groups[i] = (struct edit_group){item, tw_ints_copy(ints, ints->n, 0), {0}};
		model->n_groups++;
		if (!model->groups[i].ints)
			return no_memory(e);
	}
	game = edit_layer_of_kind(model, TW_KIND_GAME);
	model->game_group = game ? game->group : -1;
	return check_patterns(model, layers, e);
}

void edit_model_finish(struct edit_model *model)
{
	for (uint32_t i = 0; i < model->n_layers; i++) {
		free(model->layers[i].cells);
		free(model->layers[i].elements);
		buffer_finish_free(&model->layers[i].changes);
	}
	for (uint32_t i = 0; i < model->n_groups; i++) {
		tw_ints_unref(model->groups[i].ints);
		buffer_finish_free(&model->groups[i].changes);
	}
	free(model->layers);
	free(model->groups);
	free(model->opacities);
}

int32_t edit_kind_of(const struct edit_model *model, const struct edit_layer *l)
{
	return model->m->items[l->item].ints->v[TW_TILES_KIND];
}

struct edit_layer *edit_layer_of_kind(const struct edit_model *model, int32_t kind)
{
	for (uint32_t i = model->n_layers; i-- > 0;) {
		struct edit_layer *l = &model->layers[i];

		if (l->group >= 0 && edit_has_tiles(l) && edit_kind_of(model, l) == kind)
			return l;
	}
	return NULL;
}

int edit_count(struct edit_model *model, uint64_t n, struct error *e)
{
	model->bytes += n;
	if (n > EDIT_BYTES_MAX || model->bytes > EDIT_BYTES_MAX)
		return error_set(e, -E2BIG,
			"the layers have too many tiles (at most %" PRIu64 " bytes)",
			EDIT_BYTES_MAX);
	return 0;
}

/* Check the blob before memory is allocated for what it claims to hold. */
static int load_tiles(struct edit_model *model, struct edit_layer *l, struct error *e)
{
	uint64_t all = (uint64_t)l->w * l->h;
	int r = edit_count(model, all * l->tiles.size, e);

	if (r == 0)
		r = tw_tiles_check(&l->tiles, e);
	if (r < 0)
		return r;
	l->cells = malloc((size_t)all * l->tiles.size);
	if (!l->cells)
		return no_memory(e);
	for (uint64_t i = 0; r == 0 && i < all; i += TW_TILE_RUN)
		r = tw_tiles_read(&l->tiles, i, all - i < TW_TILE_RUN ? all - i : TW_TILE_RUN,
			l->cells + i * l->tiles.size, e);
	if (r < 0)
		free(TAKE(l->cells));
	return r;
}

static int load_list(struct edit_model *model, struct edit_layer *l, struct error *e)
{
	struct blob *blob = tw_get_blob(model->m, &model->m->items[l->item], TW_LIST_DATA);
	size_t n = (size_t)l->n * tw_list_shape(l->form)->ints;
	int r = edit_count(model, 4 * (uint64_t)n, e);

	if (r == 0 && l->n)
		r = blob_check(blob, e);
	if (r < 0)
		return r;
	l->elements = calloc(n + 1, sizeof(*l->elements));
	if (!l->elements)
		return no_memory(e);
	if (n)
		r = blob_read(blob, 0, l->elements, 4 * n, e);
	for (size_t i = 0; i < n; i++)
		l->elements[i] = load_i32((const uint8_t *)&l->elements[i]);
	if (r < 0)
		free(TAKE(l->elements));
	return r;
}

int edit_load(struct edit_model *model, struct edit_layer *l, struct error *e)
{
	int r = 0;

	if (edit_has_tiles(l) && !l->cells)
		r = load_tiles(model, l, e);
	else if (!edit_has_tiles(l) && l->form != TW_FORM_NONE && !l->elements)
		r = load_list(model, l, e);
	if (r < 0)
		error_context(e, "%s", l->path);
	return r;
}

static bool is_resized(const struct edit_layer *l)
{
	return l->w != l->tiles.w || l->h != l->tiles.h;
}

/* Append the tiles of a layer as its blob holds them. */
static int encode_tiles(const struct edit_layer *l, struct spool *out, struct error *e)
{
	struct tw_tile_writer writer = {
		.out = out, .form = tw_tile_form(l->form), .packed = l->tiles.packed};
	int r = tw_tile_writer_put(&writer, l->cells, (size_t)l->w * l->h, e);

	return r < 0 ? r : tw_tile_writer_end(&writer, is_resized(l) ? NULL : &l->tiles, e);
}

/* Append a list. An empty one has an element of zeros, as the editor writes it. Keeps the bytes
 * behind the list if its length stays. */
static int encode_list(const struct edit_layer *l, struct blob *old, int32_t old_n,
	struct spool *out, struct error *e)
{
	size_t ints = tw_list_shape(l->form)->ints, n = (l->n ? l->n : 1) * ints;
	uint8_t stored[4];
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		store_u32(stored, l->n ? (uint32_t)l->elements[i] : 0);
		r = spool_append(out, stored, sizeof(stored), e);
	}
	if (r == 0 && l->n && l->n == (uint32_t)old_n)
		r = tw_append_part(old, 4 * (uint64_t)n, old->size, out, e);
	return r;
}

/* Make a blob, which the save compresses, on all processors. */
static int make_blob(
	const struct tw_map *m, const struct extent *data, struct blob **ret, struct error *e)
{
	CLEANUP(content_unref) struct content *content = content_new(data);

	return content ? tw_compose_content(m, content, ret, e) : no_memory(e);
}

/* Set the size of a layer, also of its tiles that no file shows. */
static int apply_size(struct tw_change *c, const struct edit_layer *l, struct error *e)
{
	const struct tw_ints *ints = c->base->items[l->item].ints;
	struct tw_ints *fresh = tw_ints_copy(ints, ints->n, 0);

	if (!fresh)
		return no_memory(e);
	fresh->v[TW_TILES_WIDTH] = (int32_t)l->w;
	fresh->v[TW_TILES_HEIGHT] = (int32_t)l->h;
	return tw_layer_reshape(c->base, l->item, fresh, c, e);
}

/* Store a layer that was changed, if it differs. */
static int apply_layer(struct tw_change *c, struct edit_layer *l, struct error *e)
{
	CLEANUP(spool_destroy)
	struct spool *data = spool_create(c->base->shared->store->spool_dirfd);
	CLEANUP_EXTENT struct extent stored = EXTENT_INIT;
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	const struct tw_item *it = &c->base->items[l->item];
	bool tiles = edit_has_tiles(l), is_same = false;
	uint32_t field = tiles ? l->tiles.field : TW_LIST_DATA;
	struct blob *old = tw_get_blob(c->base, it, field);
	int r = !data   ? no_memory(e)
		: tiles ? encode_tiles(l, data, e)
			: encode_list(l, old, it->ints->v[TW_LIST_COUNT], data, e);

	if (r == 0)
		r = spool_extent(data, &stored, e);
	/* Data that cannot be read is not the same. */
	if (r == 0 && old && !(tiles && is_resized(l)) &&
		blob_equals_extent(old, &stored, &is_same, NULL) == 0 && is_same) {
		buffer_finish_free(&l->changes);
		return 0;
	}
	if (r == 0)
		r = make_blob(c->base, &stored, &fresh, e);
	if (r == 0 && tiles && is_resized(l))
		r = apply_size(c, l, e);
	if (r < 0)
		return r;
	if (!tiles)
		tw_change_set_int(c, l->item, TW_LIST_COUNT, (int32_t)l->n);
	tw_change_set_data(c, l->item, field, TAKE(fresh));
	return 0;
}

static void apply_group(struct tw_change *c, struct edit_group *g)
{
	if (tw_ints_same(g->ints, c->base->items[g->item].ints))
		buffer_finish_free(&g->changes);
	else
		tw_change_set_ints(c, g->item, tw_ints_ref(g->ints));
}

int edit_model_apply(struct edit_model *model, struct snapshot **ret, struct error *e)
{
	CLEANUP(tw_change_free) struct tw_change *c = tw_change_new(model->m);
	CLEANUP(snapshot_unref) struct snapshot *now = snapshot_ref(&model->m->base);
	int r = c ? 0 : no_memory(e);

	for (uint32_t i = 0; r == 0 && i < model->n_layers; i++)
		if (model->layers[i].changes.error)
			r = no_memory(e);
		else if (model->layers[i].changes.size)
			r = apply_layer(c, &model->layers[i], e);
	for (uint32_t i = 0; r == 0 && i < model->n_groups; i++)
		apply_group(c, &model->groups[i]);
	if (r < 0 || (!c->result && !c->error))
		return r;
	r = tw_change_apply(&now, c, e);
	if (r == 0)
		*ret = TAKE(now);
	return r;
}
