/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/pixel.h"
#include "formats/teeworlds/preview/raster.h"

enum { FLIP_X = 1, FLIP_Y = 2, ROTATE = 8 };
enum { SIDE_MAX = 128 /* pixels of a tile in a texture */ };

/* What a layer of tiles is drawn with. */
struct paint {
	const struct tw_texture *texture; /* NULL: plain squares */
	uint32_t side_x, side_y;          /* of one of its tiles */
	uint32_t color;                   /* as pixel.h has it */
};

static void layer_color(const struct tw_map *m, const struct tw_item *it, uint8_t ret[4])
{
	double envelope[4];
	bool moved = tw_envelope_at(m, tw_int(it, TW_TILES_ENVELOPE, -1),
		tw_int(it, TW_TILES_ENVELOPE_OFFSET, 0), envelope);

	for (uint32_t i = 0; i < 4; i++)
		ret[i] = tw_color(tw_int(it, TW_TILES_COLOR + i, 255), moved ? envelope[i] : 1024);
}

/* One direction of a tile's picture: n pixels, `step` bytes from one to the next, maybe run through
 * from the end. */
struct axis {
	uint32_t n, turned;
	size_t step;
};

/* The two pixels that u (of 65536) lies between, from the begin, and how much of the second (of
 * 256). The tiles' pictures lie beside each other: none may shine into another. */
static inline uint32_t neighbours(const struct axis *a, uint32_t u, size_t *first, size_t *second)
{
	int32_t at = (int32_t)((u ^ a->turned) * a->n) - 32768;
	uint32_t i = at < 0 ? 0 : (uint32_t)at >> 16;

	*first = i * a->step;
	*second = i + 1 < a->n ? *first + a->step : *first;
	return at < 0 ? 0 : (uint32_t)at >> 8 & 255;
}

/* The tile's flags turn its picture: first by a quarter, then over. */
static void turn(const struct paint *p, uint8_t flags, struct axis *along, struct axis *across)
{
	struct axis x = {p->side_x, flags & FLIP_X ? 65535 : 0, 4};
	struct axis y = {p->side_y, flags & FLIP_Y ? 65535 : 0, (size_t)p->texture->w * 4};

	if (flags & ROTATE) {
		y.turned ^= 65535;
		*along = y;
		*across = x;
	} else {
		*along = x;
		*across = y;
	}
}

static void sample(const struct paint *p, const uint8_t *tile, const uint16_t *u, size_t n,
	uint32_t v, uint32_t *ret)
{
	const struct tw_texture *t = p->texture;
	const uint8_t *line[2] = {t->rgba, t->rgba};
	struct axis along, across;
	size_t a, b;
	uint32_t f, g;

	turn(p, tile[1], &along, &across);
	g = neighbours(&across, v, &a, &b);
	line[0] += (size_t)(tile[0] / 16) * p->side_y * t->w * 4 +
		   (size_t)(tile[0] % 16) * p->side_x * 4;
	line[1] = line[0] + b;
	line[0] += a;
	for (size_t i = 0; i < n; i++) {
		f = neighbours(&along, u[i], &a, &b);
		ret[i] = tw_mix(tw_mix(load_u32(line[0] + a), load_u32(line[0] + b), f),
			tw_mix(load_u32(line[1] + a), load_u32(line[1] + b), f), g);
	}
}

static bool show_tile(
	void *arg, const uint8_t *tile, const uint16_t *u, size_t n, uint32_t v, uint32_t *ret)
{
	const struct paint *p = arg;

	if (!tile[0])
		return false;
	if (p->texture)
		sample(p, tile, u, n, v, ret);
	for (size_t i = 0; i < n; i++)
		ret[i] = p->texture ? tw_tint(ret[i], p->color) : p->color;
	return true;
}

int tw_draw_tiles(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	struct tw_tiles tiles;
	struct paint paint = {0};
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
		paint.side_x = paint.texture->w / 16;
		paint.side_y = paint.texture->h / 16;
	}
	layer_color(p->m, it, color);
	paint.color = tw_pixel(color);
	return color[3] ? tw_raster_tiles(p, &tiles, show_tile, &paint, e) : 0;
}
