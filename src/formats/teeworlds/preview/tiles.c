/* SPDX-License-Identifier: Zlib */
/* tiles: draw layers of tiles: design layers with their images, physics layers in plain colors. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/pixel.h"
#include "formats/teeworlds/preview/view.h"

enum { SAMPLES_MAX = 4 /* samples of a pixel in each direction */, TILE = 32 };
enum { TILES = 16 /* tiles of an image in each direction */, FLIP_X = 1, FLIP_Y = 2, ROTATE = 8 };

/* The appearance of tiles. */
struct paint {
	const struct tw_texture *texture; /* NULL for plain squares */
	uint32_t id;                      /* byte offset of a tile's number */
	/* By number, as pixels: the color of the square or tint of the texture; 0: invisible. */
	uint32_t colors[256];
};

/* One direction of a tile's picture: n texels, `step` bytes apart; flip is 65535 or 0. */
struct axis {
	uint32_t n, flip;
	size_t step;
};

/* Find the byte offsets of the two texels beside u (in 1/65536). Returns the share of the second in
 * 1/256. Both are in the same tile: pictures of neighboring tiles must not mix. */
static inline uint32_t find_neighbors(
	const struct axis *a, uint32_t u, size_t *first, size_t *second)
{
	int32_t at = (int32_t)((u ^ a->flip) * a->n) - 32768;
	uint32_t i = at < 0 ? 0 : (uint32_t)at >> 16;

	*first = i * a->step;
	*second = i + 1 < a->n ? *first + a->step : *first;
	return at < 0 ? 0 : (uint32_t)at >> 8 & 255;
}

/* Apply a tile's flags to the axes of its picture: first the quarter turn, then the flips. */
static void orient_tile(
	const struct paint *p, uint8_t flags, struct axis *along, struct axis *across)
{
	struct axis x = {p->texture->w / TILES, flags & FLIP_X ? 65535 : 0, 4};
	struct axis y = {
		p->texture->h / TILES, flags & FLIP_Y ? 65535 : 0, (size_t)p->texture->w * 4};

	if (flags & ROTATE) {
		y.flip ^= 65535;
		*along = y;
		*across = x;
	} else {
		*along = x;
		*across = y;
	}
}

static void sample_run(const struct paint *p, const uint8_t *tile, const uint16_t *u, size_t n,
	uint32_t v, uint32_t *ret)
{
	const struct tw_texture *t = p->texture;
	const uint8_t *line[2] = {t->rgba, t->rgba};
	struct axis along, across;
	size_t a, b;
	uint32_t f, g;

	orient_tile(p, tile[1], &along, &across);
	g = find_neighbors(&across, v, &a, &b);
	line[0] += (size_t)(tile[0] / TILES) * (t->h / TILES) * t->w * 4 +
		   (size_t)(tile[0] % TILES) * (t->w / TILES) * 4;
	line[1] = line[0] + b;
	line[0] += a;
	for (size_t i = 0; i < n; i++) {
		f = find_neighbors(&along, u[i], &a, &b);
		ret[i] = tw_mix(tw_mix(load_u32(line[0] + a), load_u32(line[0] + b), f),
			tw_mix(load_u32(line[1] + a), load_u32(line[1] + b), f), g);
	}
}

/* The place of a sample in one direction: the tile, and the offset in it in 1/65536. Outside the
 * layer, it is in the border tile. */
struct place {
	uint32_t tile, offset;
};

static struct place find_place(double world, uint32_t n)
{
	double t = world / TILE, whole = floor(t);
	struct place p = {0, (uint32_t)((t - whole) * 65536) & 65535};

	p.tile = whole < 0 ? 0 : whole >= n ? n - 1 : (uint32_t)whole;
	return p;
}

/* Consecutive samples in one tile. */
struct run {
	uint32_t tile, first, n;
};

struct raster {
	struct tw_painter *p;
	const struct tw_tiles *tiles;
	const struct paint *paint;
	uint32_t samples;  /* samples of a pixel in each direction */
	size_t w;          /* samples of a row */
	uint16_t *offsets; /* offset of each sample in its tile (struct place) */
	struct run *runs;
	size_t n_runs;
	uint32_t *colors;   /* pixels of the present run */
	uint8_t *row;       /* the tiles of the present row */
	int64_t row_number; /* of the present row of tiles; -1 if none is loaded */
	bool is_row_empty;  /* the row has no visible tile */
	uint32_t *sums;     /* four for each pixel of a row */
};

static int load_row(struct raster *r, uint32_t y, struct error *e)
{
	size_t n = (size_t)r->tiles->w * r->tiles->size, i = 0;
	int result = 0;

	if (r->row_number == y)
		return 0;
	result = tw_tiles_read(r->tiles, (uint64_t)y * r->tiles->w, r->tiles->w, r->row, e);
	while (result == 0 && i < n && !r->row[i])
		i++;
	r->is_row_empty = i == n;
	r->row_number = y;
	return result;
}

static void find_runs(struct raster *r)
{
	const struct tw_view *view = &r->p->view;
	double x0 = (double)r->p->clip.x0;

	for (size_t i = 0; i < r->w; i++) {
		struct place p =
			find_place(view->x + view->step_x * (x0 + ((double)i + 0.5) / r->samples),
				r->tiles->w);

		r->offsets[i] = (uint16_t)p.offset;
		if (i && r->runs[r->n_runs - 1].tile == p.tile)
			r->runs[r->n_runs - 1].n++;
		else
			r->runs[r->n_runs++] = (struct run){p.tile, (uint32_t)i, 1};
	}
}

/* Set r->colors to the samples of a run, at height v of its tile. Returns false if it is invisible.
 */
static bool color_run(struct raster *r, const struct run *run, uint32_t v)
{
	const uint8_t *tile = r->row + (size_t)run->tile * r->tiles->size;
	const struct paint *p = r->paint;
	uint32_t color = p->colors[tile[p->id]];

	if (color && p->texture)
		sample_run(p, tile, r->offsets + run->first, run->n, v, r->colors);
	for (size_t i = 0; color && i < run->n; i++)
		r->colors[i] = p->texture ? tw_tint(r->colors[i], color) : color;
	return color;
}

/* Draw a run onto the canvas directly, if a pixel has one sample. */
static void blend_run(struct raster *r, uint8_t *line, const struct run *run)
{
	for (uint32_t i = 0; i < run->n; i++)
		tw_blend(line + (size_t)(run->first + i) * 4, r->colors[i]);
}

static void sum_run(struct raster *r, const struct run *run)
{
	for (uint32_t i = 0; i < run->n; i++) {
		uint32_t *sum = r->sums + (run->first + i) / r->samples * 4, p = r->colors[i];

		for (int k = 0; k < 4; k++, p >>= 8)
			sum[k] += p & 255;
	}
}

static void add_line(struct raster *r, uint8_t *line, uint32_t v)
{
	for (const struct run *run = r->runs; run < r->runs + r->n_runs; run++) {
		if (!color_run(r, run, v))
			continue;
		if (r->samples == 1)
			blend_run(r, line, run);
		else
			sum_run(r, run);
	}
}

static void blend_sums(struct raster *r, uint8_t *line)
{
	uint32_t n = r->samples * r->samples, part = 65536 / n + 1;
	uint32_t *sum = r->sums;

	for (size_t x = 0; x < r->w / r->samples; x++, sum += 4, line += 4) {
		uint32_t p = 0;

		if (!sum[3])
			continue;
		/* Sums are below 2^12, so this multiplication equals a division by n. */
		for (int k = 0; k < 4; k++)
			p |= ((sum[k] + n / 2) * part >> 16) << 8 * k;
		memset(sum, 0, 4 * sizeof(*sum));
		tw_blend(line, p);
	}
}

static int draw_line(struct raster *r, int64_t y, struct error *e)
{
	const struct tw_view *view = &r->p->view;
	uint8_t *line =
		r->p->canvas->rgba + ((size_t)y * r->p->canvas->w + (size_t)r->p->clip.x0) * 4;
	bool any = false;
	int result = 0;

	for (uint32_t i = 0; result == 0 && i < r->samples; i++) {
		struct place row = find_place(
			view->y + view->step_y * ((double)y + (i + 0.5) / r->samples), r->tiles->h);

		result = load_row(r, row.tile, e);
		if (result < 0 || r->is_row_empty)
			continue;
		result = tw_canvas_spend(r->p->canvas, r->w, e);
		add_line(r, line, row.offset);
		any = true;
	}
	if (result == 0 && any && r->samples > 1)
		blend_sums(r, line);
	return result;
}

static int draw_lines(struct raster *r, struct error *e)
{
	int result = 0;

	find_runs(r);
	for (int64_t y = r->p->clip.y0; result == 0 && y < r->p->clip.y1; y++)
		result = draw_line(r, y, e);
	return result;
}

/* Draw tiles over the clip. A pixel that shows several tiles gets their mean. A damaged layer is
 * drawn up to the damage, which is no error. */
static int raster_tiles(struct tw_painter *p, const struct tw_tiles *tiles,
	const struct paint *paint, struct error *e)
{
	double step = fmax(p->view.step_x, p->view.step_y) / TILE;
	size_t w = (size_t)(p->clip.x1 - p->clip.x0);
	struct raster r = {.p = p, .tiles = tiles, .paint = paint, .row_number = -1};
	uint64_t row = (uint64_t)tiles->w * tiles->size;
	int result = tw_canvas_read(p->canvas, row * tiles->h, row, e);

	if (result < 0)
		return result;
	r.samples = step <= 1 ? 1 : step >= SAMPLES_MAX ? SAMPLES_MAX : (uint32_t)ceil(step);
	r.w = w * r.samples;
	r.offsets = calloc(r.w, sizeof(*r.offsets));
	r.runs = calloc(r.w, sizeof(*r.runs));
	r.colors = calloc(r.w, sizeof(*r.colors));
	r.row = malloc((size_t)row); /* at most TW_READ_ROW_MAX */
	r.sums = calloc(4 * w, sizeof(*r.sums));
	if (r.offsets && r.runs && r.colors && r.row && r.sums)
		result = draw_lines(&r, e);
	else
		result = error_set(e, -ENOMEM, "out of memory");
	free(r.offsets);
	free(r.runs);
	free(r.colors);
	free(r.row);
	free(r.sums);
	return result == -EIO ? 0 : result;
}

enum { SIDE_MAX = 128 /* side of a tile in a texture */ };

static void layer_color(const struct tw_map *m, const struct tw_item *it, uint8_t ret[4])
{
	double envelope[4];
	bool moved = tw_envelope_at(m, tw_get_int(it, TW_TILES_ENVELOPE, -1),
		tw_get_int(it, TW_TILES_ENVELOPE_OFFSET, 0), envelope);

	for (uint32_t i = 0; i < 4; i++)
		ret[i] = tw_color(
			tw_get_int(it, TW_TILES_COLOR + i, 255), moved ? envelope[i] : 1024);
}

int tw_draw_tiles(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	struct tw_tiles tiles;
	struct paint paint = {0};
	uint8_t color[4];
	double size = 32 / fmin(p->view.step_x, p->view.step_y); /* pixels of a tile */
	uint32_t image, side = 1;
	int r;

	if (tw_get_int(it, TW_TILES_KIND, 0) != 0 || !tw_get_tiles(p->m, it, &tiles) ||
		tiles.form != TW_FORM_TILES)
		return 0;
	while (side < size && side < SIDE_MAX)
		side *= 2;
	if (tw_ref_position(p->m, TW_SORT_IMAGE, tw_get_int(it, TW_TILES_IMAGE, -1), &image) == 0) {
		r = tw_texture_get(p->textures, image, true, side, &paint.texture, e);
		if (r < 0)
			return r == -ENOENT ? 0 : r;
	}
	layer_color(p->m, it, color);
	for (int id = 1; id < 256; id++)
		paint.colors[id] = tw_pixel(color);
	return color[3] ? raster_tiles(p, &tiles, &paint, e) : 0;
}

enum { TELE = 2, SPEEDUP = 4, SWITCH = 16, TUNE = 32, GAME = 1 | 8 /* and front */ };

/* Colors of tile numbers (DDNet's game/mapitems.h) by kind of layer. Later lines win. */
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
	uint32_t kind = (uint32_t)tw_get_int(it, TW_TILES_KIND, 0);
	const struct tw_plane_at *id;
	struct paint paint = {0};
	struct tw_tiles tiles;

	/* No game has a layer of several kinds. */
	if (!kind || kind & (kind - 1) || !tw_get_tiles(p->m, it, &tiles))
		return 0;
	id = tw_plane_in(tiles.form, TW_PLANE_ID);
	/* The oldest speedups have no number. Their first byte is the force, which serves as one.
	 */
	paint.id = id ? id->offset : 0;
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++)
		for (unsigned k = colors[i].first; kind & colors[i].kinds && k <= colors[i].last;
			k++)
			paint.colors[k] = tw_pixel(colors[i].rgba);
	return raster_tiles(p, &tiles, &paint, e);
}
