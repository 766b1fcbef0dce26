/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/raster.h"

enum { FLIP_X = 1, FLIP_Y = 2, ROTATE = 8 };
enum { SIDE_MAX = 128 /* pixels of a tile in a texture */ };

/* What a layer of tiles is drawn with. */
struct paint {
	const struct tw_texture *texture; /* NULL: plain squares */
	uint32_t side_x, side_y;          /* of one of its tiles */
	uint8_t color[4];
};

void tw_layer_color(const struct tw_map *m, const struct tw_item *it, uint8_t ret[4])
{
	double envelope[4];
	bool moved = tw_envelope_at(m, tw_int(it, TW_TILES_ENVELOPE, -1),
		tw_int(it, TW_TILES_ENVELOPE_OFFSET, 0), envelope);

	for (uint32_t i = 0; i < 4; i++)
		ret[i] = tw_color(tw_int(it, TW_TILES_COLOR + i, 255), moved ? envelope[i] : 1024);
}

/* Where in a tile's picture a point of the tile as it lies in the map is; 16 bits each. */
static void turn(uint8_t flags, uint32_t *u, uint32_t *v)
{
	if (flags & ROTATE) {
		uint32_t was = *u;

		*u = *v;
		*v = 65535 - was;
	}
	if (flags & FLIP_X)
		*u = 65535 - *u;
	if (flags & FLIP_Y)
		*v = 65535 - *v;
}

/* The two pixels of n that u lies between, and how much of the second (of 256). */
static uint32_t neighbours(uint32_t u, uint32_t n, uint32_t *a, uint32_t *b)
{
	int64_t at = (int64_t)u * n - 32768;

	if (at < 0)
		at = 0;
	*a = (uint32_t)(at >> 16);
	*b = *a + 1 < n ? *a + 1 : *a;
	return (uint32_t)(at >> 8) & 255;
}

/* The tiles' pictures lie beside each other: none may shine into another. */
static void sample(const struct paint *p, const uint8_t *tile, uint32_t u, uint32_t v, uint8_t *ret)
{
	const struct tw_texture *t = p->texture;
	uint32_t x[2], y[2], fx, fy;
	const uint8_t *corner;

	turn(tile[1], &u, &v);
	fx = neighbours(u, p->side_x, &x[0], &x[1]);
	fy = neighbours(v, p->side_y, &y[0], &y[1]);
	corner = t->rgba +
		 ((size_t)(tile[0] / 16) * p->side_y * t->w + (size_t)(tile[0] % 16) * p->side_x) *
			 4;
	for (int i = 0; i < 4; i++) {
		const uint8_t *r0 = corner + (size_t)y[0] * t->w * 4 + i;
		const uint8_t *r1 = corner + (size_t)y[1] * t->w * 4 + i;
		uint32_t top = r0[4 * x[0]] * (256 - fx) + r0[4 * x[1]] * fx;
		uint32_t bottom = r1[4 * x[0]] * (256 - fx) + r1[4 * x[1]] * fx;

		ret[i] = (uint8_t)((top * (256 - fy) + bottom * fy + 32768) >> 16);
	}
}

static void show_tile(void *arg, const uint8_t *tile, uint32_t u, uint32_t v, uint8_t ret[4])
{
	const struct paint *p = arg;

	memset(ret, tile[0] && !p->texture ? 255 : 0, 4);
	if (!tile[0])
		return;
	if (p->texture)
		sample(p, tile, u, v, ret);
	tw_tint(ret, p->color);
}

int tw_draw_tiles(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	struct tw_tiles tiles;
	struct paint paint = {0};
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
	tw_layer_color(p->m, it, paint.color);
	return paint.color[3] ? tw_raster_tiles(p, &tiles, show_tile, &paint, e) : 0;
}
