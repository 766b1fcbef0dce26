/* SPDX-License-Identifier: Zlib */
/*
 * Operations that move the content of layers: crop, extend, shift.
 *
 * A layer is drawn at its group's offset, and moves with the camera by the group's parallax. The
 * physics layers, and with them their group, always have offset 0 and parallax 100. In groups of
 * parallax 100, tiles and elements move. Other groups change their offset, which moves all of their
 * content by any number of pixels.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/edit/edit.h"

enum { ENTITIES_SINCE = 192 /* ids of spawns, weapons and so on, which are not repeated */ };

/* The effect of an operation in one direction on a layer, or on all layers of a group. */
struct axis {
	int64_t world;   /* tiles by which the world moves */
	int64_t content; /* tiles by which the content of layers moves */
	int64_t offset, parallax;
	int64_t new_offset;
	bool is_free; /* the parallax is 100 */
	bool divides; /* the share of the group is a whole number of pixels */
};

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Plan the move in one direction of a group with that offset and parallax. */
static struct axis plan_axis(
	const struct edit_operation *o, int direction, int64_t offset, int64_t parallax)
{
	int64_t at = o->box[direction];
	struct axis a = {.world = o->kind == EDIT_CROP ? -at : at,
		.offset = offset,
		.new_offset = offset,
		.parallax = parallax,
		.is_free = parallax == EDIT_PERCENT,
		.divides = true};
	int64_t first, share;

	a.content = a.is_free ? a.world : 0;
	if (a.is_free && o->kind == EDIT_CROP) {
		/* The first tile that is drawn in the rectangle becomes tile 0. Tiles before the
		 * layer need not be added, because the game repeats its border. */
		first = floor_div(EDIT_TILE * at + offset, EDIT_TILE);
		a.content = first > 0 ? -first : 0;
		a.new_offset = offset + EDIT_TILE * (at + a.content);
	} else if (!a.is_free) {
		share = EDIT_TILE * a.world * parallax;
		a.divides = share % EDIT_PERCENT == 0;
		a.new_offset = offset - share / EDIT_PERCENT;
	}
	return a;
}

/* Plan for the layers of a group. The game draws that of the game layer as if it had no offset.
 * With
 * --layer, only named layers move, each in its own tiles. */
static void plan_group(const struct editing *ed, int64_t group, bool physics, struct axis ret[2])
{
	const struct edit_group *g = &ed->model.groups[group];
	bool plain = physics || ed->how->layers || group == ed->model.game_group;

	for (uint32_t i = 0; i < 2; i++)
		ret[i] = plan_axis(ed->operation, (int)i,
			plain ? 0 : edit_group_int(g, TW_GROUP_OFFSET + i, 0),
			plain ? EDIT_PERCENT
			      : edit_group_int(g, TW_GROUP_PARALLAX + i, EDIT_PERCENT));
}

/* The tiles of a layer that stay: new tile i is old tile begin + i, for i < size. */
struct range {
	int64_t begin, size;
};

static struct range plan_range(
	const struct edit_operation *o, int direction, const struct axis *a, uint32_t side)
{
	struct range r = {-a->content, side};
	int64_t end;

	if (!a->is_free || o->kind == EDIT_SHIFT)
		return r;
	if (o->kind == EDIT_EXTEND) {
		r.size = (int64_t)side + o->box[direction] + o->box[direction + 2];
		return r;
	}
	/* The game repeats the last tile, so none behind it is needed, but a layer has two. */
	end = -floor_div(
		-(EDIT_TILE * ((int64_t)o->box[direction] + o->box[direction + 2]) + a->offset),
		EDIT_TILE);
	end = end < side ? end : side;
	r.size = end - r.begin > 2 ? end - r.begin : 2;
	return r;
}

static int64_t clamp(int64_t v, int64_t n)
{
	return v < 0 ? 0 : v >= n ? n - 1 : v;
}

/* Copy the old tile at a place to a new cell. Beyond the border the game repeats tiles, but creates
 * no entities. */
static void copy_tile(const struct editing *ed, const struct edit_layer *l, int64_t x, int64_t y,
	bool physics, uint8_t *to)
{
	const struct tw_plane_at *id = tw_plane_in(l->form, TW_PLANE_ID);
	bool outside = x < 0 || y < 0 || x >= l->w || y >= l->h;
	const uint8_t *from = edit_cell(l, (uint32_t)clamp(x, l->w), (uint32_t)clamp(y, l->h));

	if (outside && (ed->operation->kind == EDIT_SHIFT ||
			       (physics && id && from[id->offset] >= ENTITIES_SINCE)))
		memset(to, 0, l->tiles.size);
	else
		memcpy(to, from, l->tiles.size);
}

/* Count the tiles that are not empty and outside of the new range. */
static uint64_t count_leaving(const struct edit_layer *l, const struct range r[2])
{
	static const uint8_t zeros[TW_TILE_MAX];
	uint64_t n = 0;

	for (uint32_t y = 0; y < l->h; y++)
		for (uint32_t x = 0; x < l->w; x++)
			n += (x < r[0].begin || y < r[1].begin || x >= r[0].begin + r[0].size ||
				     y >= r[1].begin + r[1].size) &&
			     memcmp(edit_cell(l, x, y), zeros, l->tiles.size) != 0;
	return n;
}

/* Give a layer the tiles of a range. */
static int refit_layer(struct editing *ed, struct edit_layer *l, const struct range r[2],
	bool physics, struct error *e)
{
	uint64_t n = 0;
	uint8_t *cells;
	int result;

	if (r[0].size > INT32_MAX || r[1].size > INT32_MAX ||
		ckd_mul(&n, (uint64_t)r[0].size * (uint64_t)r[1].size, l->tiles.size))
		n = UINT64_MAX;
	result = edit_count(&ed->model, n, e);
	cells = result == 0 ? malloc((size_t)n) : NULL;
	if (result < 0 || !cells)
		return result < 0 ? result : error_set(e, -ENOMEM, "out of memory");
	for (int64_t i = 0; i < r[0].size * r[1].size; i++)
		copy_tile(ed, l, r[0].begin + i % r[0].size, r[1].begin + i / r[0].size, physics,
			cells + i * l->tiles.size);
	ed->model.bytes -= (uint64_t)l->w * l->h * l->tiles.size;
	free(l->cells);
	l->cells = cells;
	l->w = (uint32_t)r[0].size;
	l->h = (uint32_t)r[1].size;
	return 0;
}

static int move_tiles(struct editing *ed, struct edit_layer *l, const struct axis a[2],
	bool physics, struct error *e)
{
	struct range r[2] = {plan_range(ed->operation, 0, &a[0], l->w),
		plan_range(ed->operation, 1, &a[1], l->h)};
	uint32_t w = l->w, h = l->h;
	uint64_t n = 0;
	int result;

	if (!r[0].begin && !r[1].begin && r[0].size == w && r[1].size == h)
		return 0;
	result = edit_load(&ed->model, l, e);
	if (result == 0 && ed->operation->kind == EDIT_SHIFT)
		n = count_leaving(l, r);
	if (n)
		return error_set(
			e, -EINVAL, "%s: %" PRIu64 " tiles would leave the layer", l->path, n);
	if (result == 0)
		result = refit_layer(ed, l, r, physics, e);
	if (result == 0 && (l->w != w || l->h != h))
		edit_changed(ed, &l->changes,
			"%" PRIu32 " x %" PRIu32 " tiles instead of %" PRIu32 " x %" PRIu32, l->w,
			l->h, w, h);
	else if (result == 0)
		edit_changed(ed, &l->changes, "moved tiles");
	return result;
}

static int move_list(
	struct editing *ed, struct edit_layer *l, const struct axis a[2], struct error *e)
{
	uint32_t ints = tw_list_shape(l->form)->ints, n_points = l->form == TW_FORM_QUADS ? 5 : 1;
	int r = 0;

	if (!l->n || (!a[0].content && !a[1].content))
		return 0;
	r = edit_load(&ed->model, l, e);
	for (uint32_t i = 0; r == 0 && i < l->n; i++)
		for (uint32_t k = 0; r == 0 && k < 2 * n_points; k++) {
			int32_t *v = &l->elements[(size_t)i * ints + k];

			if (ckd_add(v, *v, a[k % 2].content * EDIT_TILE * EDIT_FIXED))
				r = error_set(e, -EINVAL,
					"%s: the coordinates of element %" PRIu32
					" would not fit in 32 bits",
					l->path, i);
		}
	if (r == 0)
		edit_changed(ed, &l->changes, "moved %" PRIu32 " %s%s", l->n,
			l->form == TW_FORM_QUADS ? "quad" : "source", l->n == 1 ? "" : "s");
	return r;
}

static int move_layer(struct editing *ed, struct edit_layer *l, struct error *e)
{
	bool physics = tw_is_physics(&ed->model.m->items[l->item]);
	struct axis a[2];

	plan_group(ed, l->group, physics, a);
	/* A group that stays is reported by move_group. */
	if (!a[0].divides || !a[1].divides)
		return 0;
	return edit_has_tiles(l)         ? move_tiles(ed, l, a, physics, e)
	       : l->form != TW_FORM_NONE ? move_list(ed, l, a, e)
					 : 0;
}

/* The clip rectangle of a group is in the world, whatever its parallax. */
static int move_clip(const struct axis a[2], struct tw_ints *ints)
{
	if (ints->n < TW_GROUP_CLIP + 4 || !ints->v[TW_GROUP_CLIPPING])
		return 0;
	for (int i = 0; i < 2; i++)
		if (ckd_add(&ints->v[TW_GROUP_CLIP + i], ints->v[TW_GROUP_CLIP + i],
			    EDIT_TILE * a[i].world))
			return -EINVAL;
	return 0;
}

static int move_group(struct editing *ed, uint32_t position, struct error *e)
{
	struct edit_group *g = &ed->model.groups[position];
	CLEANUP(tw_ints_unref) struct tw_ints *old = tw_ints_copy(g->ints, g->ints->n, 0);
	char path[TW_PATH_MAX];
	struct axis a[2];

	if (!old)
		return error_set(e, -ENOMEM, "out of memory");
	tw_path_group(ed->model.m, g->item, path);
	plan_group(ed, position, false, a);
	for (int i = 0; i < 2; i++)
		if (!a[i].divides) {
			edit_left(ed, path,
				"a parallax of %" PRId64 " does not move by whole pixels",
				a[i].parallax);
			return 0;
		}
	for (uint32_t i = 0; i < 2; i++) {
		if (a[i].new_offset != a[i].offset &&
			(TW_GROUP_OFFSET + i >= g->ints->n ||
				a[i].new_offset != (int32_t)a[i].new_offset))
			return error_set(e, -EINVAL, "%s: an offset of %" PRId64 " does not fit",
				path, a[i].new_offset);
		if (a[i].new_offset != a[i].offset)
			g->ints->v[TW_GROUP_OFFSET + i] = (int32_t)a[i].new_offset;
	}
	if (move_clip(a, g->ints) < 0)
		return error_set(
			e, -EINVAL, "%s: the clip rectangle does not fit in 32 bits", path);
	if (!tw_ints_same(old, g->ints))
		edit_changed(ed, &g->changes, "moved the group");
	return 0;
}

/* Check that a rectangle to crop is in a layer. */
static int check_crop(const struct edit_operation *o, const struct edit_layer *l, struct error *e)
{
	if ((int64_t)o->box[0] + o->box[2] <= l->w && (int64_t)o->box[1] + o->box[3] <= l->h)
		return 0;
	return error_set(e, -EINVAL,
		"the rectangle is not in %s, which has %" PRIu32 " x %" PRIu32 " tiles", l->path,
		l->w, l->h);
}

static int check_operation(const struct editing *ed, struct error *e)
{
	const struct edit_layer *game = edit_layer_of_kind(&ed->model, TW_KIND_GAME);
	int r = 0;

	if (ed->operation->kind != EDIT_CROP)
		return 0;
	if (!ed->how->layers)
		return game ? check_crop(ed->operation, game, e)
			    : error_set(e, -EINVAL, "the map has no game layer");
	for (uint32_t i = 0; r == 0 && i < ed->model.n_layers; i++)
		if (ed->model.layers[i].is_selected && edit_has_tiles(&ed->model.layers[i]))
			r = check_crop(ed->operation, &ed->model.layers[i], e);
	return r;
}

int edit_move(struct editing *ed, struct error *e)
{
	int r = check_operation(ed, e);

	for (uint32_t i = 0; r == 0 && i < ed->model.n_layers; i++)
		if (ed->model.layers[i].is_selected)
			r = move_layer(ed, &ed->model.layers[i], e);
	/* The layers of a group are planned with its old offset. */
	for (uint32_t i = 0; r == 0 && !ed->how->layers && i < ed->model.n_groups; i++)
		if (i != ed->model.game_group)
			r = move_group(ed, i, e);
	return r;
}
