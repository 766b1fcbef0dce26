/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cursor.h"
#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/raster.h"
#include "formats/teeworlds/preview/triangle.h"

/* In the integers of a quad: five points, the last of which it turns around; four colours and
 * places in the image. Coordinates are in 1/1024. */
enum { POINTS = 0, PIVOT = 8, COLORS = 10, TEXTURE = 26, MOVED_BY = 34, COLORED_BY = 36 };
enum { FIXED = 1024 };
/* To place a quad takes about as long as to read so many bytes. */
enum { QUAD_BYTES = 1200 };

/* The game draws two triangles: the corners are top left, top right, bottom left, bottom right. */
static const uint8_t triangles[2][3] = {{0, 1, 3}, {0, 3, 2}};

static void place_corners(struct tw_painter *p, const int32_t *q, struct tw_corner *ret)
{
	double moved[4] = {0, 0, 0, 0}, tint[4] = {FIXED, FIXED, FIXED, FIXED};
	double angle, px = q[PIVOT], py = q[PIVOT + 1];

	tw_envelope_at(p->m, q[MOVED_BY], q[MOVED_BY + 1], moved);
	tw_envelope_at(p->m, q[COLORED_BY], q[COLORED_BY + 1], tint);
	angle = moved[2] / FIXED * M_PI / 180;
	for (int i = 0; i < 4; i++) {
		double x = q[POINTS + 2 * i] - px, y = q[POINTS + 2 * i + 1] - py;
		double wx = px + x * cos(angle) - y * sin(angle) + moved[0];
		double wy = py + x * sin(angle) + y * cos(angle) + moved[1];

		ret[i].x = (wx / FIXED - p->view.x) / p->view.step_x;
		ret[i].y = (wy / FIXED - p->view.y) / p->view.step_y;
		ret[i].u = (double)q[TEXTURE + 2 * i] / FIXED;
		ret[i].v = (double)q[TEXTURE + 2 * i + 1] / FIXED;
		for (int k = 0; k < 4; k++)
			ret[i].color[k] = tw_color(q[COLORS + 4 * i + k], tint[k]);
	}
}

/* A layer of quads. */
struct quads {
	struct tw_painter *p;
	struct blob *blob;
	uint32_t n;
	uint32_t image; /* its position */
	double w, h;    /* that it says it has; 0: there is none */
	/* Pixels of it that are needed: that is found first, so that it is decoded once for all. */
	uint32_t longest;
	bool measuring;
};

/* The pixels of an image's longest side, a power of 2, of which one shows as one of the canvas. */
static uint32_t side_for(const struct quads *q, const struct tw_triangle *t)
{
	const struct tw_slope *u = &t->slopes[TW_SLOPE_U], *v = &t->slopes[TW_SLOPE_V];
	double most =
		fmax(fmax(fabs(u->dx), fabs(u->dy)) * q->w, fmax(fabs(v->dx), fabs(v->dy)) * q->h);
	double ideal = fmax(q->w, q->h) / most;
	uint32_t side = 1;

	while (side < TW_TEXTURE_MAX && side * M_SQRT2 < ideal)
		side *= 2;
	return side;
}

static int draw(struct quads *q, const struct tw_triangle *t, struct error *e)
{
	const struct tw_texture *texture = NULL;
	uint32_t side = q->w > 0 ? side_for(q, t) : 0;
	int r = 0;

	if (q->measuring) {
		q->longest = side > q->longest ? side : q->longest;
		return 0;
	}
	if (side)
		r = tw_texture_get(q->p->textures, q->image, false, side, &texture, e);
	return r < 0 ? r : tw_triangle_draw(q->p, t, texture, e);
}

static int each_of_quad(struct quads *q, const int32_t *ints, struct error *e)
{
	struct tw_corner corners[4];
	int r = tw_canvas_spend(q->p->canvas, 1, e);

	place_corners(q->p, ints, corners);
	for (int i = 0; r == 0 && i < 2; i++) {
		struct tw_triangle t;

		for (int k = 0; k < 3; k++)
			t.c[k] = &corners[triangles[i][k]];
		if (tw_triangle_init(&t, &q->p->clip))
			r = draw(q, &t, e);
	}
	return r;
}

static int each(struct quads *q, struct error *e)
{
	uint8_t stored[4 * TW_ELEMENT_MAX];
	int32_t ints[TW_ELEMENT_MAX];
	int r = tw_canvas_read(q->p->canvas, (uint64_t)q->n * QUAD_BYTES, sizeof(stored), e);

	for (uint32_t i = 0; r == 0 && i < q->n; i++) {
		r = blob_read(q->blob, (uint64_t)i * sizeof(stored), stored, sizeof(stored), e);
		for (uint32_t k = 0; r == 0 && k < TW_ELEMENT_MAX; k++)
			ints[k] = load_i32(stored + 4 * k);
		if (r == 0)
			r = each_of_quad(q, ints, e);
	}
	return r;
}

static int draw_all(struct quads *q, int32_t image, struct error *e)
{
	const struct tw_map *m = q->p->m;
	const struct tw_texture *largest;
	int r = 0;

	if (tw_ref_position(m, TW_SORT_IMAGE, image, &q->image) == 0) {
		const struct tw_item *it = tw_item_at(m, TW_IMAGE, q->image);

		q->w = fmax(tw_int(it, TW_IMG_WIDTH, 1), 1);
		q->h = fmax(tw_int(it, TW_IMG_HEIGHT, 1), 1);
		q->measuring = true;
		r = each(q, e);
		q->measuring = false;
	}
	if (r == 0 && q->longest)
		r = tw_texture_get(q->p->textures, q->image, false, q->longest, &largest, e);
	return r < 0 || (q->w > 0 && !q->longest) ? r : each(q, e);
}

int tw_draw_quads(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	struct quads q = {.p = p, .blob = tw_blob_of(p->m, it, TW_LIST_DATA)};
	int r;

	if (tw_list_form(p->m, it) != TW_FORM_QUADS || !q.blob)
		return 0;
	q.n = (uint32_t)it->ints->v[TW_LIST_COUNT];
	r = draw_all(&q, tw_int(it, TW_LIST_SOURCE, -1), e);
	return r == -EIO || r == -ENOENT ? 0 : r;
}
