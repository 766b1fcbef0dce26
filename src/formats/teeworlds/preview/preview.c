/* SPDX-License-Identifier: Zlib */
/* preview: draw the groups of a map as the game's camera sees them from the middle of the game
 * layer, at the zoom that shows all of it (DDNet's CRenderTools::MapScreenToWorld). */
#include <errno.h>
#include <math.h>

#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/names/sort.h"
#include "formats/teeworlds/preview/game.h"
#include "formats/teeworlds/preview/view.h"

enum { TILE = 32, PARALLAX_FULL = 100, CLIPS_SINCE = 2 };
/* The screen at zoom 1 has this area, and no longer sides (CalcScreenParams). */
enum { SCREEN_AREA = 1150 * 1000, SCREEN_W = 1500, SCREEN_H = 1050 };

struct scene {
	struct tw_painter painter;
	const struct preview *options;
	double w, h;               /* size of the game layer or window, in world units */
	double screen_w, screen_h; /* size at zoom 1, with the picture's aspect ratio */
	double zoom;
};

static void set_screen(struct scene *s)
{
	double aspect = s->w / s->h, f = sqrt(SCREEN_AREA) / sqrt(aspect);

	s->screen_w = f * aspect;
	s->screen_h = f;
	if (s->screen_w > SCREEN_W) {
		s->screen_w = SCREEN_W;
		s->screen_h = SCREEN_W / aspect;
	}
	if (s->screen_h > SCREEN_H) {
		s->screen_h = SCREEN_H;
		s->screen_w = SCREEN_H * aspect;
	}
	s->zoom = s->w / s->screen_w;
}

static void set_view(struct scene *s, double x, double y, double w, double h)
{
	struct tw_canvas *c = s->painter.canvas;

	s->painter.view = (struct tw_view){x - w / 2, y - h / 2, w / c->w, h / c->h};
}

static double clamp(double v, double max)
{
	return v <= 0 ? 0 : v >= max ? max : v;
}

/* Set the clip of a group. Its place is relative to the game layer, without parallax. */
static void set_group_clip(struct scene *s, const struct tw_item *group)
{
	struct tw_canvas *c = s->painter.canvas;
	double x = tw_get_int(group, TW_GROUP_CLIP, 0), y = tw_get_int(group, TW_GROUP_CLIP + 1, 0);
	double w = tw_get_int(group, TW_GROUP_CLIP + 2, 0),
	       h = tw_get_int(group, TW_GROUP_CLIP + 3, 0);
	struct tw_clip *to = &s->painter.clip;

	*to = (struct tw_clip){0, 0, c->w, c->h};
	if (s->options->entities || s->options->window.w || tw_get_int(group, 0, 0) < CLIPS_SINCE ||
		!tw_get_int(group, TW_GROUP_CLIPPING, 0))
		return;
	to->x0 = (int64_t)(clamp(x / s->w, 1) * c->w + 0.5);
	to->y0 = (int64_t)(clamp(y / s->h, 1) * c->h + 0.5);
	to->x1 = (int64_t)(clamp((x + w) / s->w, 1) * c->w + 0.5);
	to->y1 = (int64_t)(clamp((y + h) / s->h, 1) * c->h + 0.5);
}

static void set_group_view(struct scene *s, uint32_t position)
{
	const struct tw_map *m = s->painter.m;
	const struct tw_item *group = tw_item_at(m, TW_GROUP, position);
	const struct tw_item *more = tw_uuid_item(m, TW_GROUP_EXT, position);
	double zoom = more && more->ints->n > TW_EXT_ZOOM ? more->ints->v[TW_EXT_ZOOM]
							  : tw_group_default_zoom(group);
	double scale = (zoom * (s->zoom - 1) + PARALLAX_FULL) / PARALLAX_FULL;
	double px = tw_get_int(group, TW_GROUP_PARALLAX, PARALLAX_FULL) / (double)PARALLAX_FULL;
	double py = tw_get_int(group, TW_GROUP_PARALLAX + 1, PARALLAX_FULL) / (double)PARALLAX_FULL;

	if (s->options->window.w) {
		const struct preview_window *at = &s->options->window;

		set_view(s, (at->x + at->w / 2.0) * TILE, (at->y + at->h / 2.0) * TILE, s->w, s->h);
	} else if (s->options->entities) {
		set_view(s, s->w / 2, s->h / 2, s->w, s->h);
	} else {
		scale = scale > 0.01 ? scale : 0.01;
		set_view(s, tw_get_int(group, TW_GROUP_OFFSET, 0) + s->w / 2 * px,
			tw_get_int(group, TW_GROUP_OFFSET + 1, 0) + s->h / 2 * py,
			s->screen_w * scale, s->screen_h * scale);
	}
	set_group_clip(s, group);
}

static bool is_selected(const struct scene *s, uint32_t group, uint32_t layer)
{
	entry_id part = s->options->part;

	if (tw_id_kind(part) == TW_K_GROUP)
		return tw_object_position(part) == group;
	return tw_id_kind(part) != TW_K_LAYER || (tw_id_a(part) == group && tw_id_b(part) == layer);
}

static int draw_layer(struct scene *s, const struct tw_item *it, struct error *e)
{
	int32_t type = tw_get_int(it, TW_LAYER_TYPE, -1);
	bool physics = type == TW_LAYER_TILES && tw_get_int(it, TW_TILES_KIND, 0) != 0;

	if (s->painter.clip.x0 >= s->painter.clip.x1 || s->painter.clip.y0 >= s->painter.clip.y1)
		return 0;
	/* A physics layer that was requested by itself is drawn, too. */
	if (physics && (s->options->entities || tw_id_kind(s->options->part) == TW_K_LAYER))
		return tw_draw_entities(&s->painter, it, e);
	if (s->options->entities || physics)
		return 0;
	return type == TW_LAYER_TILES   ? tw_draw_tiles(&s->painter, it, e)
	       : type == TW_LAYER_QUADS ? tw_draw_quads(&s->painter, it, e)
					: 0;
}

static int draw_groups(struct scene *s, struct error *e)
{
	const struct tw_map *m = s->painter.m;
	int r = 0;

	for (uint32_t g = 0; r == 0 && g < tw_count(m, TW_GROUP); g++) {
		struct tw_layer_range at = tw_group_layers(m, g);

		set_group_view(s, g);
		for (uint32_t i = at.first; r == 0 && i < at.first + at.n; i++)
			if (is_selected(s, g, i))
				r = draw_layer(s, tw_item_at(m, TW_LAYER, i), e);
	}
	return r;
}

/* Find the size of a picture of tw x th tiles whose longest side has `longest` pixels. */
static bool fit_picture(
	uint32_t tw, uint32_t th, uint32_t longest, uint32_t *ret_w, uint32_t *ret_h)
{
	uint32_t most = tw > th ? tw : th;
	uint64_t w, h;

	if (!tw || !th)
		return false;
	w = (uint64_t)longest * tw / most;
	h = (uint64_t)longest * th / most;
	*ret_w = w ? (uint32_t)w : 1;
	*ret_h = h ? (uint32_t)h : 1;
	return true;
}

bool tw_preview_size(const struct tw_map *m, uint32_t longest, uint32_t *ret_w, uint32_t *ret_h)
{
	const struct tw_item *game = tw_game_layer(m);
	int32_t tw = game ? tw_get_int(game, TW_TILES_WIDTH, 0) : 0;
	int32_t th = game ? tw_get_int(game, TW_TILES_HEIGHT, 0) : 0;

	return tw > 0 && th > 0 && fit_picture((uint32_t)tw, (uint32_t)th, longest, ret_w, ret_h);
}

/* Find the size of the picture. Its aspect ratio is that of the window, or of the game layer. */
static int measure_picture(struct scene *s, uint32_t *w, uint32_t *h, struct error *e)
{
	const struct tw_item *game = tw_game_layer(s->painter.m);
	const struct preview_window *at = &s->options->window;

	if (at->w ? !fit_picture(at->w, at->h, s->options->size, w, h)
		  : !tw_preview_size(s->painter.m, s->options->size, w, h))
		return error_set(e, -ENODATA, "the map has no game layer");
	s->w = (double)(at->w ? (int32_t)at->w : game->ints->v[TW_TILES_WIDTH]) * TILE;
	s->h = (double)(at->w ? (int32_t)at->h : game->ints->v[TW_TILES_HEIGHT]) * TILE;
	set_screen(s);
	return 0;
}

static int draw_preview(const struct snapshot *snapshot, const struct preview *how,
	struct picture *ret, struct error *e)
{
	struct scene s = {.painter = {.m = tw_map_of(snapshot)}, .options = how};
	unsigned kind = tw_id_kind(how->part);
	struct tw_textures *textures;
	struct tw_canvas canvas;
	uint32_t w = 0, h = 0;
	int r;

	if (kind != TW_K_ROOT && kind != TW_K_GROUP && kind != TW_K_LAYER)
		return error_set(e, -EINVAL, "not a group or layer");
	r = measure_picture(&s, &w, &h, e);
	if (r == 0)
		r = tw_canvas_init(&canvas, w, h, how->part == ENTRY_ROOT, e);
	if (r < 0)
		return r;
	textures = calloc(1, sizeof(*textures));
	s.painter.canvas = &canvas;
	s.painter.textures = textures;
	if (textures) {
		textures->m = s.painter.m;
		textures->canvas = &canvas;
		textures->options = how;
		r = draw_groups(&s, e);
		tw_textures_finish(textures);
		free(textures);
	} else {
		r = error_set(e, -ENOMEM, "out of memory");
	}
	tw_canvas_finish(&canvas);
	if (r < 0)
		bytes_unref(canvas.pixels);
	else
		*ret = (struct picture){w, h, canvas.pixels};
	return r;
}

const struct format_preview tw_preview = {.draw = draw_preview, .image_dirs = tw_image_dirs};
