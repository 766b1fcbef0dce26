/* SPDX-License-Identifier: Zlib */
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/preview/pixel.h"
#include "formats/teeworlds/preview/raster.h"

enum { GAME = 1, TELE = 2, SPEEDUP = 4, FRONT = 8, SWITCH = 16, TUNE = 32 };

/* Numbers of game and front tiles, first to last (DDNet's game/mapitems.h), and their colours. */
static const struct {
	uint8_t first, last, rgb[3];
} game_colors[] = {
	{1, 1, {166, 145, 116}},   /* solid */
	{2, 2, {201, 42, 42}},     /* death */
	{3, 3, {96, 108, 122}},    /* unhookable */
	{4, 4, {130, 60, 150}},    /* nolaser */
	{5, 8, {150, 120, 190}},   /* through */
	{9, 9, {30, 38, 74}},      /* freeze */
	{11, 11, {120, 190, 235}}, /* unfreeze */
	{12, 13, {20, 60, 120}},   /* deep */
	{33, 34, {235, 235, 235}}, /* start, finish */
	{35, 59, {180, 220, 255}}, /* checkpoints */
	{60, 67, {120, 130, 80}},  /* stoppers */
	{192, 192, {80, 200, 90}}, /* spawns */
	{193, 193, {220, 70, 70}}, {194, 194, {70, 110, 230}},
	{195, 195, {255, 90, 90}},                              /* flags */
	{196, 196, {90, 140, 255}}, {197, 197, {250, 200, 60}}, /* armor */
	{198, 198, {255, 110, 140}},                            /* health */
	{199, 205, {240, 150, 40}},                             /* weapons */
};

static const struct {
	int kind;
	uint8_t rgb[3];
} kind_colors[] = {
	{TELE, {170, 80, 220}},
	{SPEEDUP, {255, 140, 0}},
	{SWITCH, {250, 220, 40}},
	{TUNE, {60, 200, 160}},
};

struct paint {
	uint32_t id;        /* where in a tile its number stands */
	uint32_t rgba[256]; /* as pixel.h has it */
};

static void set(struct paint *p, unsigned id, const uint8_t *rgb, uint8_t alpha)
{
	const uint8_t color[4] = {rgb[0], rgb[1], rgb[2], alpha};

	p->rgba[id] = tw_pixel(color);
}

static void mix_game(struct paint *p)
{
	static const uint8_t other[3] = {200, 110, 190};

	for (unsigned id = 1; id < 256; id++)
		set(p, id, other, 200);
	for (size_t i = 0; i < sizeof(game_colors) / sizeof(game_colors[0]); i++)
		for (unsigned id = game_colors[i].first; id <= game_colors[i].last; id++)
			set(p, id, game_colors[i].rgb, 255);
}

static bool show_tile(
	void *arg, const uint8_t *tile, const uint16_t *u, size_t n, uint32_t v, uint32_t *ret)
{
	const struct paint *p = arg;
	uint32_t color = p->rgba[tile[p->id]];

	(void)u, (void)v;
	for (size_t i = 0; color && i < n; i++)
		ret[i] = color;
	return color;
}

int tw_draw_entities(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	int32_t kind = tw_int(it, TW_TILES_KIND, 0);
	const struct tw_plane_at *id;
	struct paint paint = {0};
	struct tw_tiles tiles;

	if (!kind || !tw_tiles_of(p->m, it, &tiles))
		return 0;
	id = tw_plane_in(tiles.form, TW_PLANE_ID);
	/* The oldest speedups have no number: one with a force is one. */
	paint.id = id ? id->at : 0;
	if (kind == GAME || kind == FRONT)
		mix_game(&paint);
	for (size_t i = 0; i < sizeof(kind_colors) / sizeof(kind_colors[0]); i++)
		for (unsigned k = 1; kind == kind_colors[i].kind && k < 256; k++)
			set(&paint, k, kind_colors[i].rgb, 170);
	return tw_raster_tiles(p, &tiles, show_tile, &paint, e);
}
