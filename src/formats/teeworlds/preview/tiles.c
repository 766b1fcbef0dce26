/* SPDX-License-Identifier: Zlib */
/* Layers of tiles: as they are seen, and as the game works with them. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/pixel.h"
#include "formats/teeworlds/preview/raster.h"

enum { SIDE_MAX = 128 /* pixels of a tile in a texture */ };

static void layer_color(const struct tw_map *m, const struct tw_item *it, uint8_t ret[4])
{
	double envelope[4];
	bool moved = tw_envelope_at(m, tw_int(it, TW_TILES_ENVELOPE, -1),
		tw_int(it, TW_TILES_ENVELOPE_OFFSET, 0), envelope);

	for (uint32_t i = 0; i < 4; i++)
		ret[i] = tw_color(tw_int(it, TW_TILES_COLOR + i, 255), moved ? envelope[i] : 1024);
}

int tw_draw_tiles(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	struct tw_tiles tiles;
	struct tw_paint paint = {0};
	uint8_t color[4];
	double size = 32 / fmin(p->view.step_x, p->view.step_y); /* pixels of a tile */
	uint32_t image, side = 1;
	int r;

	if (tw_int(it, TW_TILES_KIND, 0) != 0 || !tw_tiles_of(p->m, it, &tiles) ||
		tiles.form != TW_FORM_TILES)
		return 0;
	while (side < size && side < SIDE_MAX)
		side *= 2;
	if (tw_ref_position(p->m, TW_SORT_IMAGE, tw_int(it, TW_TILES_IMAGE, -1), &image) == 0) {
		r = tw_texture_get(p->textures, image, true, side, &paint.texture, e);
		if (r < 0)
			return r == -ENOENT ? 0 : r;
	}
	layer_color(p->m, it, color);
	for (int id = 1; id < 256; id++)
		paint.colors[id] = tw_pixel(color);
	return color[3] ? tw_raster_tiles(p, &tiles, &paint, e) : 0;
}

enum { TELE = 2, SPEEDUP = 4, SWITCH = 16, TUNE = 32, GAME = 1 | 8 /* and front */ };

/* Of kinds of layers the numbers of tiles, first to last (DDNet's game/mapitems.h), and their
 * colours; later ones count. */
static const struct {
	uint8_t kinds, first, last, rgba[4];
} colors[] = {
	{TELE, 1, 255, {170, 80, 220, 170}}, {SPEEDUP, 1, 255, {255, 140, 0, 170}},
	{SWITCH, 1, 255, {250, 220, 40, 170}}, {TUNE, 1, 255, {60, 200, 160, 170}},
	{GAME, 1, 255, {200, 110, 190, 200}}, /* any other */
	{GAME, 1, 1, {166, 145, 116, 255}},   /* solid */
	{GAME, 2, 2, {201, 42, 42, 255}},     /* death */
	{GAME, 3, 3, {96, 108, 122, 255}},    /* unhookable */
	{GAME, 4, 4, {130, 60, 150, 255}},    /* nolaser */
	{GAME, 5, 8, {150, 120, 190, 255}},   /* through */
	{GAME, 9, 9, {30, 38, 74, 255}},      /* freeze */
	{GAME, 11, 11, {120, 190, 235, 255}}, /* unfreeze */
	{GAME, 12, 13, {20, 60, 120, 255}},   /* deep */
	{GAME, 33, 34, {235, 235, 235, 255}}, /* start, finish */
	{GAME, 35, 59, {180, 220, 255, 255}}, /* checkpoints */
	{GAME, 60, 67, {120, 130, 80, 255}},  /* stoppers */
	{GAME, 192, 192, {80, 200, 90, 255}}, /* spawns */
	{GAME, 193, 193, {220, 70, 70, 255}}, {GAME, 194, 194, {70, 110, 230, 255}},
	{GAME, 195, 195, {255, 90, 90, 255}},                                         /* flags */
	{GAME, 196, 196, {90, 140, 255, 255}}, {GAME, 197, 197, {250, 200, 60, 255}}, /* armor */
	{GAME, 198, 198, {255, 110, 140, 255}},                                       /* health */
	{GAME, 199, 205, {240, 150, 40, 255}},                                        /* weapons */
};

int tw_draw_entities(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	int32_t kind = tw_int(it, TW_TILES_KIND, 0);
	const struct tw_plane_at *id;
	struct tw_paint paint = {0};
	struct tw_tiles tiles;

	if (!kind || !tw_tiles_of(p->m, it, &tiles))
		return 0;
	id = tw_plane_in(tiles.form, TW_PLANE_ID);
	/* The oldest speedups have no number: one with a force is one. */
	paint.id = id ? id->at : 0;
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++)
		for (unsigned k = colors[i].first; kind & colors[i].kinds && k <= colors[i].last;
			k++)
			paint.colors[k] = tw_pixel(colors[i].rgba);
	return tw_raster_tiles(p, &tiles, &paint, e);
}
