/* SPDX-License-Identifier: Zlib */
/* Operations on single tiles: replace, fill, clear, gametiles. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "tools/common/path_pattern.h"
#include "tools/teeworlds/edit/edit.h"

/* The place of a named field in a form; NULL if the form does not have it. */
static const struct tw_plane_at *find_field(enum tw_form form, const char *name)
{
	int plane = 0;

	while (plane < TW_N_PLANES && strcmp(tw_plane_names[plane], name) != 0)
		plane++;
	return tw_plane_in(form, (enum tw_plane)plane);
}

/* A value to write into the tiles of a layer. */
struct brush {
	const struct edit_layer *layer;
	const struct tw_plane_at *at;
	const struct tw_plane_at *flags;    /* NULL if they stay */
	const struct edit_opacity *opacity; /* to derive the OPAQUE bit; or NULL */
	struct edit_value value;
};

/* An id of an unknown image counts as not opaque, which is always drawn correctly. If the flags are
 * kept, and the old and the new id are alike, the bit stays. */
static void set_opaque(const struct brush *b, uint8_t old_id, uint8_t *tile)
{
	const struct edit_opacity *o = b->opacity;
	const bool *opaque = o->ids.opaque;

	if (!b->flags && (old_id == tile[0] || (o->is_known && opaque[old_id] == opaque[tile[0]])))
		return;
	if (b->value.flags > 0 && b->value.flags & TW_TILE_OPAQUE)
		return;
	tile[1] &= (uint8_t)~TW_TILE_OPAQUE;
	if (o->is_known && opaque[tile[0]])
		tile[1] |= TW_TILE_OPAQUE;
}

/* Returns whether the tile changed. */
static bool paint_tile(const struct brush *b, uint8_t *tile)
{
	uint8_t old[TW_TILE_MAX], size = b->layer->tiles.size;

	memcpy(old, tile, size);
	tw_tile_set_cell(b->at, tile, b->value.value);
	if (b->flags)
		tw_tile_set_cell(b->flags, tile, b->value.flags > 0 ? b->value.flags : 0);
	if (b->opacity)
		set_opaque(b, old[0], tile);
	return memcmp(old, tile, size) != 0;
}

/* Does the tile have the old value of `replace`? The OPAQUE bit does not count. */
static bool has_value(const struct brush *b, const struct tw_plane_at *flags,
	const struct edit_value *old, const uint8_t *tile)
{
	if (tw_tile_cell(b->at, tile) != old->value)
		return false;
	return old->flags == EDIT_ANY || !flags ||
	       ((tw_tile_cell(flags, tile) ^ old->flags) & ~TW_TILE_OPAQUE) == 0;
}

/* Prepare to write the new value. ret->at is NULL if the layer does not have its field, or no flags
 * although the operation names some. -ENOMEM. */
static int init_brush(
	const struct editing *ed, struct edit_layer *l, struct brush *ret, struct error *e)
{
	const struct edit_operation *o = ed->operation;
	const struct edit_value *value = &o->fresh;
	bool is_fill = o->kind == EDIT_FILL;
	bool names_flags = value->flags != EDIT_ANY || (!is_fill && o->old.flags != EDIT_ANY);
	const struct tw_plane_at *flags = tw_plane_in(l->form, TW_PLANE_FLAGS);
	bool has_opaque = l->form == TW_FORM_TILES && strcmp(value->field, "id") == 0;

	*ret = (struct brush){.layer = l, .at = find_field(l->form, value->field), .value = *value};
	/* A tile of `fill` has only the given flags; `replace` keeps them. */
	if (value->flags != EDIT_ANY || (has_opaque && is_fill))
		ret->flags = flags;
	if (names_flags && !flags)
		ret->at = NULL;
	return has_opaque ? edit_find_opacity(ed, l, &ret->opacity, e) : 0;
}

/* The part of the operation's box that is in the layer: [0] to [2], [1] to [3]. */
static void clip_box(const struct editing *ed, const struct edit_layer *l, uint32_t ret[4])
{
	const int32_t *box = ed->operation->box;
	const uint32_t sides[2] = {l->w, l->h};
	bool whole = ed->operation->kind == EDIT_REPLACE;

	for (int i = 0; i < 2; i++) {
		uint32_t begin = whole ? 0 : (uint32_t)box[i];
		uint32_t end = whole ? sides[i] : begin + (uint32_t)box[i + 2];

		ret[i] = begin;
		ret[i + 2] = end < sides[i] ? end : sides[i];
	}
}

static bool edit_tile(const struct editing *ed, const struct brush *b, uint8_t *tile)
{
	static const uint8_t zeros[TW_TILE_MAX];
	const struct edit_operation *o = ed->operation;
	uint8_t size = b->layer->tiles.size;
	bool differs;

	if (o->kind == EDIT_REPLACE)
		return has_value(b, tw_plane_in(b->layer->form, TW_PLANE_FLAGS), &o->old, tile) &&
		       paint_tile(b, tile);
	if (o->kind == EDIT_FILL)
		return paint_tile(b, tile);
	differs = memcmp(tile, zeros, size) != 0;
	memset(tile, 0, size);
	return differs;
}

static int edit_layer_cells(
	struct editing *ed, struct edit_layer *l, const struct brush *b, struct error *e)
{
	int r = edit_load(&ed->model, l, e);
	uint32_t box[4];
	uint64_t n = 0;

	clip_box(ed, l, box);
	for (uint32_t y = box[1]; r == 0 && y < box[3]; y++)
		for (uint32_t x = box[0]; x < box[2]; x++)
			n += edit_tile(ed, b, edit_cell(l, x, y));
	if (n)
		edit_changed(ed, &l->changes, "%" PRIu64 " %s", n, n == 1 ? "tile" : "tiles");
	return r;
}

int edit_cells(struct editing *ed, struct error *e)
{
	const struct edit_operation *o = ed->operation;
	bool has_field = o->kind == EDIT_CLEAR;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < ed->model.n_layers; i++) {
		struct edit_layer *l = &ed->model.layers[i];
		struct brush b = {.layer = l};

		if (!l->is_selected || !edit_has_tiles(l))
			continue;
		if (o->kind != EDIT_CLEAR) {
			r = init_brush(ed, l, &b, e);
			if (!b.at)
				continue;
			has_field = true;
		}
		if (r == 0)
			r = edit_layer_cells(ed, l, &b, e);
	}
	if (r == 0 && !has_field)
		r = error_set(e, -EINVAL, "no named layer has the field %s%s", o->fresh.field,
			o->fresh.flags == EDIT_ANY ? "" : " and flags");
	return r;
}

/* Find where the group shows the first tile of its layers, in tiles of the game layer. */
static int find_origin(
	const struct edit_model *model, const struct edit_layer *l, int32_t ret[2], struct error *e)
{
	const struct edit_group *g = &model->groups[l->group];

	for (uint32_t i = 0; i < 2; i++) {
		int32_t offset = edit_group_int(g, TW_GROUP_OFFSET + i, 0);
		int32_t parallax = edit_group_int(g, TW_GROUP_PARALLAX + i, EDIT_PERCENT);

		if (parallax != EDIT_PERCENT || offset % EDIT_TILE)
			return error_set(e, -EINVAL,
				"%s: the group has an offset of %d and a parallax of %d (multiples "
				"of 32, and 100)",
				l->path, offset, parallax);
		ret[i] = -(offset / EDIT_TILE);
	}
	return 0;
}

/* Set the id in `game` wherever the design layer has a tile. */
static int mark_tiles(
	struct editing *ed, struct edit_layer *l, struct edit_layer *game, struct error *e)
{
	const uint8_t id = (uint8_t)ed->operation->fresh.value;
	uint64_t n = 0, n_outside = 0;
	int32_t origin[2];
	int r = find_origin(&ed->model, l, origin, e);

	if (r == 0)
		r = edit_load(&ed->model, l, e);
	for (uint64_t i = 0; r == 0 && i < (uint64_t)l->w * l->h; i++) {
		int64_t x = (int64_t)(i % l->w) + origin[0], y = (int64_t)(i / l->w) + origin[1];
		uint8_t *tile;

		if (!l->cells[i * l->tiles.size])
			continue;
		if (x < 0 || y < 0 || x >= game->w || y >= game->h) {
			n_outside++;
			continue;
		}
		tile = edit_cell(game, (uint32_t)x, (uint32_t)y);
		n += tile[0] != id || tile[1];
		tile[0] = id;
		tile[1] = 0;
	}
	if (n)
		edit_changed(ed, &game->changes, "%" PRIu64 " %s", n, n == 1 ? "tile" : "tiles");
	if (n_outside)
		edit_left(ed, l->path, "%" PRIu64 " %s outside %s", n_outside,
			n_outside == 1 ? "tile is" : "tiles are", game->path);
	return r;
}

int edit_gametiles(struct editing *ed, struct error *e)
{
	enum { FRONT = 8 };
	bool front = ed->how->front, found = false;
	struct edit_layer *game = edit_layer_of_kind(&ed->model, front ? FRONT : TW_KIND_GAME);
	int r = game ? edit_load(&ed->model, game, e)
		     : error_set(e, -EINVAL, "the map has no %s layer", front ? "front" : "game");

	for (uint32_t i = 0; r == 0 && i < ed->model.n_layers; i++) {
		struct edit_layer *l = &ed->model.layers[i];

		if (l->group < 0 || !path_matches(ed->operation->name, l->path))
			continue;
		found = true;
		if (edit_has_tiles(l) && edit_kind_of(&ed->model, l) == 0)
			r = mark_tiles(ed, l, game, e);
		else
			r = error_set(e, -EINVAL, "%s: not a design layer with tiles", l->path);
	}
	if (r == 0 && !found)
		r = error_set(e, -ENOENT, "%s: no such layer", ed->operation->name);
	return r;
}
