/* SPDX-License-Identifier: Zlib */
/* quads: draw layers of quads, as two triangles each, with linear interpolation. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/pixel.h"
#include "formats/teeworlds/preview/view.h"

struct corner {
	double x, y;     /* in pixels of the canvas */
	double color[4]; /* 0..255 */
	double u, v;     /* texture coordinates; 1 is the image's width or height */
};

/* A linear function of the pixel: its value at the canvas's corner, and its change per pixel. */
struct slope {
	double origin, dx, dy;
};

enum { SLOPE_COLOR, SLOPE_U = 4, SLOPE_V, SLOPES };

struct triangle {
	const struct corner *c[3];
	double area;           /* twice the area */
	struct tw_clip box;    /* bounding box within the clip */
	struct slope edges[3]; /* not negative inside; edge i is opposite to corner i */
	struct slope slopes[SLOPES];
	bool is_plain; /* has one color */
};

enum { ALPHA = 3, ONE = 1 << 16 /* 1 in fixed point */ };

static double slope_value(const struct slope *s, double x, double y)
{
	return s->origin + s->dx * x + s->dy * y;
}

static struct slope make_edge(const struct corner *a, const struct corner *b, double sign)
{
	double dx = (b->x - a->x) * sign, dy = (b->y - a->y) * sign;

	return (struct slope){dy * a->x - dx * a->y, -dy, dx};
}

static struct slope make_slope(const struct triangle *t, double a, double b, double c)
{
	struct slope s = {0};
	const double v[3] = {a, b, c};

	for (int i = 0; i < 3; i++) {
		s.origin += v[i] * t->edges[i].origin / t->area;
		s.dx += v[i] * t->edges[i].dx / t->area;
		s.dy += v[i] * t->edges[i].dy / t->area;
	}
	return s;
}

static double min3(double a, double b, double c)
{
	return fmin(fmin(a, b), c);
}

/* Convert v to an integer within [min, max]; NaN becomes min. */
static int64_t clamp_int(double v, int64_t min, int64_t max)
{
	return !(v > (double)min) ? min : v >= (double)max ? max : (int64_t)v;
}

static bool find_box(struct triangle *t, const struct tw_clip *clip)
{
	const struct corner *a = t->c[0], *b = t->c[1], *c = t->c[2];

	t->box.x0 = clamp_int(min3(a->x, b->x, c->x), clip->x0, clip->x1);
	t->box.y0 = clamp_int(min3(a->y, b->y, c->y), clip->y0, clip->y1);
	t->box.x1 = clamp_int(2 - min3(-a->x, -b->x, -c->x), clip->x0, clip->x1);
	t->box.y1 = clamp_int(2 - min3(-a->y, -b->y, -c->y), clip->y0, clip->y1);
	return t->box.x0 < t->box.x1 && t->box.y0 < t->box.y1;
}

/* Initialize a triangle whose corners are set. Returns false if it is invisible. */
static bool triangle_init(struct triangle *t, const struct tw_clip *clip)
{
	const struct corner *a = t->c[0], *b = t->c[1], *c = t->c[2];
	double area = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
	double sign = area < 0 ? -1 : 1;

	t->area = area * sign;
	if (!(t->area > 1e-9) || !(t->area < 1e18) || !find_box(t, clip) ||
		(a->color[ALPHA] == 0 && b->color[ALPHA] == 0 && c->color[ALPHA] == 0))
		return false;
	t->edges[0] = make_edge(b, c, sign);
	t->edges[1] = make_edge(c, a, sign);
	t->edges[2] = make_edge(a, b, sign);
	t->is_plain = true;
	for (int k = 0; k <= ALPHA; k++) {
		t->slopes[SLOPE_COLOR + k] = make_slope(t, a->color[k], b->color[k], c->color[k]);
		t->is_plain =
			t->is_plain && a->color[k] == b->color[k] && b->color[k] == c->color[k];
	}
	t->slopes[SLOPE_U] = make_slope(t, a->u, b->u, c->u);
	t->slopes[SLOPE_V] = make_slope(t, a->v, b->v, c->v);
	return true;
}

/* A point on an edge that two triangles share is inside one of them only. */
static bool is_inside(const struct slope *s, double x, double y)
{
	double v = slope_value(s, x, y);

	return v > 0 || (v == 0 && (s->dx > 0 || (s->dx == 0 && s->dy > 0)));
}

/* Limit [*x0, *x1) to the pixels inside an edge. A row crosses the edge once at most. */
static void cut_row(const struct slope *s, double y, int64_t *x0, int64_t *x1)
{
	bool leaves = s->dx < 0;
	int64_t from = *x0;

	if (from >= *x1)
		return;
	/* Find the first pixel that is inside, or outside if the row leaves the triangle here. */
	from += (int64_t)array_bisect(i, (size_t)(*x1 - from),
		is_inside(s, (double)(*x0 + (int64_t)i) + 0.5, y) != leaves);
	*(leaves ? x1 : x0) = from;
}

/* A texture coordinate along a row of the canvas, and its change per pixel: in 1/65536 of a texel,
 * from 0 to the end of the texture, which repeats. */
struct walk {
	int32_t value, step, end;
};

static int32_t wrap_coordinate(double v, uint32_t n)
{
	/* Only a hostile map has coordinates so far away: any texel will do. */
	double t = v > -1e9 && v < 1e9 ? fmod(v, n) : 0;
	int32_t fixed = (int32_t)((t < 0 ? t + n : t) * ONE);

	return fixed < (int32_t)n * ONE ? fixed : 0;
}

static struct walk walk_from(const struct slope *s, uint32_t n, double x, double y)
{
	double step = s->dx * n;

	return (struct walk){
		wrap_coordinate(slope_value(s, x, y) * n - 0.5, n),
		step > -1e9 && step < 1e9 ? (int32_t)(fmod(step, n) * ONE) : 0,
		(int32_t)n * ONE,
	};
}

static inline void advance_walk(struct walk *w)
{
	w->value += w->step;
	if (w->value >= w->end)
		w->value -= w->end;
	else if (w->value < 0)
		w->value += w->end;
}

static inline uint32_t sample_texture(
	const struct tw_texture *t, const struct walk *u, const struct walk *v)
{
	uint32_t x = (uint32_t)u->value / ONE, y = (uint32_t)v->value / ONE;
	size_t x1 = x + 1 < t->w ? x + 1 : 0, y1 = y + 1 < t->h ? y + 1 : 0;
	const uint8_t *r0 = t->rgba + (size_t)y * t->w * 4, *r1 = t->rgba + y1 * t->w * 4;
	uint32_t f = (uint32_t)u->value / 256 & 255, g = (uint32_t)v->value / 256 & 255;

	return tw_mix(tw_mix(load_u32(r0 + (size_t)x * 4), load_u32(r0 + x1 * 4), f),
		tw_mix(load_u32(r1 + (size_t)x * 4), load_u32(r1 + x1 * 4), f), g);
}

/* The color along a row, in 1/65536, and its change per pixel. */
struct shade {
	int64_t value[4], step[4];
	bool is_constant;
	uint32_t color; /* a pixel (pixel.h) */
};

static void update_shade(struct shade *s)
{
	uint8_t c[4];

	/* The values of a huge triangle are inexact, and may be out of range. */
	for (int k = 0; k < 4; k++)
		c[k] = (uint8_t)(s->value[k] < 0            ? 0
				 : s->value[k] >= 256 * ONE ? 255
							    : s->value[k] / ONE);
	s->color = tw_pixel(c);
}

static struct shade shade_from(const struct triangle *t, double x, double y)
{
	const int64_t far = (int64_t)1 << 40;
	struct shade s = {.is_constant = true};

	for (int k = 0; k < 4; k++) {
		const struct slope *slope = &t->slopes[SLOPE_COLOR + k];
		double v = t->is_plain ? t->c[0]->color[k] : slope_value(slope, x, y);

		s.value[k] = clamp_int((v + 0.5) * ONE, -far, far);
		s.step[k] = t->is_plain ? 0 : clamp_int(slope->dx * ONE, -far, far);
		s.is_constant = s.is_constant && !s.step[k];
	}
	update_shade(&s);
	return s;
}

static void draw_row(struct tw_painter *p, const struct triangle *t,
	const struct tw_texture *texture, int64_t row)
{
	int64_t x0 = t->box.x0, x1 = t->box.x1;
	uint8_t *at = p->canvas->rgba + (size_t)row * p->canvas->w * 4;
	struct walk u = {0}, v = {0};
	double x, y = (double)row + 0.5;
	struct shade s;

	for (int i = 0; i < 3; i++)
		cut_row(&t->edges[i], y, &x0, &x1);
	if (x0 >= x1)
		return;
	x = (double)x0 + 0.5;
	s = shade_from(t, x, y);
	if (texture) {
		u = walk_from(&t->slopes[SLOPE_U], texture->w, x, y);
		v = walk_from(&t->slopes[SLOPE_V], texture->h, x, y);
	}
	for (at += x0 * 4; x0 < x1; x0++, at += 4) {
		tw_blend(at, texture ? tw_tint(sample_texture(texture, &u, &v), s.color) : s.color);
		advance_walk(&u);
		advance_walk(&v);
		if (s.is_constant)
			continue;
		for (int k = 0; k < 4; k++)
			s.value[k] += s.step[k];
		update_shade(&s);
	}
}

/* Draw a triangle. texture is NULL for a plain one. -E2BIG as tw_canvas_spend. */
static int fill_triangle(struct tw_painter *p, const struct triangle *t,
	const struct tw_texture *texture, struct error *e)
{
	const struct tw_clip *b = &t->box;
	int r = tw_canvas_spend(p->canvas, (uint64_t)((b->x1 - b->x0) * (b->y1 - b->y0)), e);

	for (int64_t y = b->y0; r == 0 && y < b->y1; y++)
		draw_row(p, t, texture, y);
	return r;
}

/* Indices of the integers of a quad: four corners and the pivot of its rotation, four colors, four
 * texture coordinates, two envelopes with offsets. Coordinates are in 1/1024. */
enum { POINTS = 0, PIVOT = 8, COLORS = 10, TEXTURE = 26, MOVED_BY = 34, COLORED_BY = 36 };
enum { FIXED = 1024 };
/* Read budget for placing a quad, which takes about as long as reading so many bytes. */
enum { QUAD_BYTES = 1200 };

/* The game's two triangles. The corners are top left, top right, bottom left, bottom right. */
static const uint8_t triangles[2][3] = {{0, 1, 3}, {0, 3, 2}};

static void place_corners(struct tw_painter *p, const int32_t *q, struct corner *ret)
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

struct quads {
	struct tw_painter *p;
	struct blob *blob;
	uint32_t n;
	uint32_t image; /* position of the image */
	double w, h;    /* size in the image's item; 0 if there is no image */
	/* The largest side of the image that a quad needs. A first pass measures it (is_measuring),
	 * so the image is decoded only once. */
	uint32_t longest;
	bool is_measuring;
};

/* Find the power of 2 that the longest side of the image should have, so that a texel is about as
 * large as a pixel of the canvas. */
static uint32_t find_side(const struct quads *q, const struct triangle *t)
{
	const struct slope *u = &t->slopes[SLOPE_U], *v = &t->slopes[SLOPE_V];
	double most =
		fmax(fmax(fabs(u->dx), fabs(u->dy)) * q->w, fmax(fabs(v->dx), fabs(v->dy)) * q->h);
	double ideal = fmax(q->w, q->h) / most;
	uint32_t side = 1;

	while (side < TW_TEXTURE_MAX && side * M_SQRT2 < ideal)
		side *= 2;
	return side;
}

static int draw_triangle(struct quads *q, const struct triangle *t, struct error *e)
{
	const struct tw_texture *texture = NULL;
	uint32_t side = q->w > 0 ? find_side(q, t) : 0;
	int r = 0;

	if (q->is_measuring) {
		q->longest = side > q->longest ? side : q->longest;
		return 0;
	}
	if (side)
		r = tw_texture_get(q->p->textures, q->image, false, side, &texture, e);
	return r < 0 ? r : fill_triangle(q->p, t, texture, e);
}

static int draw_quad(struct quads *q, const int32_t *ints, struct error *e)
{
	struct corner corners[4];
	int r = tw_canvas_spend(q->p->canvas, 1, e);

	place_corners(q->p, ints, corners);
	for (int i = 0; r == 0 && i < 2; i++) {
		struct triangle t;

		for (int k = 0; k < 3; k++)
			t.c[k] = &corners[triangles[i][k]];
		if (triangle_init(&t, &q->p->clip))
			r = draw_triangle(q, &t, e);
	}
	return r;
}

static int draw_each_quad(struct quads *q, struct error *e)
{
	uint8_t stored[4 * TW_ELEMENT_MAX];
	int32_t ints[TW_ELEMENT_MAX];
	int r = tw_canvas_read(q->p->canvas, (uint64_t)q->n * QUAD_BYTES, sizeof(stored), e);

	for (uint32_t i = 0; r == 0 && i < q->n; i++) {
		r = blob_read(q->blob, (uint64_t)i * sizeof(stored), stored, sizeof(stored), e);
		for (uint32_t k = 0; r == 0 && k < TW_ELEMENT_MAX; k++)
			ints[k] = load_i32(stored + 4 * k);
		if (r == 0)
			r = draw_quad(q, ints, e);
	}
	return r;
}

static int draw_layer(struct quads *q, int32_t image, struct error *e)
{
	const struct tw_map *m = q->p->m;
	const struct tw_texture *largest;
	int r = 0;

	if (tw_ref_position(m, TW_SORT_IMAGE, image, &q->image) == 0) {
		const struct tw_item *it = tw_item_at(m, TW_IMAGE, q->image);

		q->w = fmax(tw_get_int(it, TW_IMG_WIDTH, 1), 1);
		q->h = fmax(tw_get_int(it, TW_IMG_HEIGHT, 1), 1);
		q->is_measuring = true;
		r = draw_each_quad(q, e);
		q->is_measuring = false;
	}
	if (r == 0 && q->longest)
		r = tw_texture_get(q->p->textures, q->image, false, q->longest, &largest, e);
	return r < 0 || (q->w > 0 && !q->longest) ? r : draw_each_quad(q, e);
}

int tw_draw_quads(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	struct quads q = {.p = p, .blob = tw_get_blob(p->m, it, TW_LIST_DATA)};
	int r;

	if (tw_list_form(p->m, it) != TW_FORM_QUADS || !q.blob)
		return 0;
	q.n = (uint32_t)it->ints->v[TW_LIST_COUNT];
	r = draw_layer(&q, tw_get_int(it, TW_LIST_SOURCE, -1), e);
	return r == -EIO || r == -ENOENT ? 0 : r;
}
