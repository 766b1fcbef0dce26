/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/preview/triangle.h"

#include <math.h>

#include "base/array.h"
#include "formats/teeworlds/preview/pixel.h"

enum { ALPHA = 3, ONE = 1 << 16 /* of fixed point */ };

static double value(const struct tw_slope *s, double x, double y)
{
	return s->at + s->dx * x + s->dy * y;
}

static struct tw_slope edge(const struct tw_corner *a, const struct tw_corner *b, double sign)
{
	double dx = (b->x - a->x) * sign, dy = (b->y - a->y) * sign;

	return (struct tw_slope){dy * a->x - dx * a->y, -dy, dx};
}

static struct tw_slope slope_of(const struct tw_triangle *t, double a, double b, double c)
{
	struct tw_slope s = {0};
	const double v[3] = {a, b, c};

	for (int i = 0; i < 3; i++) {
		s.at += v[i] * t->edges[i].at / t->area;
		s.dx += v[i] * t->edges[i].dx / t->area;
		s.dy += v[i] * t->edges[i].dy / t->area;
	}
	return s;
}

static double least(double a, double b, double c)
{
	return fmin(fmin(a, b), c);
}

/* v as a whole number within [min, max]; NaN is min. */
static int64_t bound(double v, int64_t min, int64_t max)
{
	return !(v > (double)min) ? min : v >= (double)max ? max : (int64_t)v;
}

static bool find_box(struct tw_triangle *t, const struct tw_clip *clip)
{
	const struct tw_corner *a = t->c[0], *b = t->c[1], *c = t->c[2];

	t->box.x0 = bound(least(a->x, b->x, c->x), clip->x0, clip->x1);
	t->box.y0 = bound(least(a->y, b->y, c->y), clip->y0, clip->y1);
	t->box.x1 = bound(2 - least(-a->x, -b->x, -c->x), clip->x0, clip->x1);
	t->box.y1 = bound(2 - least(-a->y, -b->y, -c->y), clip->y0, clip->y1);
	return t->box.x0 < t->box.x1 && t->box.y0 < t->box.y1;
}

bool tw_triangle_init(struct tw_triangle *t, const struct tw_clip *clip)
{
	const struct tw_corner *a = t->c[0], *b = t->c[1], *c = t->c[2];
	double area = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
	double sign = area < 0 ? -1 : 1;

	t->area = area * sign;
	if (!(t->area > 1e-9) || !(t->area < 1e18) || !find_box(t, clip) ||
		(a->color[ALPHA] == 0 && b->color[ALPHA] == 0 && c->color[ALPHA] == 0))
		return false;
	t->edges[0] = edge(b, c, sign);
	t->edges[1] = edge(c, a, sign);
	t->edges[2] = edge(a, b, sign);
	t->even = true;
	for (int k = 0; k <= ALPHA; k++) {
		t->slopes[TW_SLOPE_COLOR + k] = slope_of(t, a->color[k], b->color[k], c->color[k]);
		t->even = t->even && a->color[k] == b->color[k] && b->color[k] == c->color[k];
	}
	t->slopes[TW_SLOPE_U] = slope_of(t, a->u, b->u, c->u);
	t->slopes[TW_SLOPE_V] = slope_of(t, a->v, b->v, c->v);
	return true;
}

/* A point on an edge that two triangles share belongs to one of them. */
static bool is_inside(const struct tw_slope *s, double x, double y)
{
	double v = value(s, x, y);

	return v > 0 || (v == 0 && (s->dx > 0 || (s->dx == 0 && s->dy > 0)));
}

/* Of the pixels [*x0, *x1) of a row, those inside: along it, an edge is crossed once at most. */
static void cut(const struct tw_slope *s, double y, int64_t *x0, int64_t *x1)
{
	bool leaves = s->dx < 0;
	int64_t from = *x0;

	if (from >= *x1)
		return;
	/* The first pixel from which on all are inside (or, where it leaves, outside). */
	from += (int64_t)array_first(i, (size_t)(*x1 - from),
		is_inside(s, (double)(*x0 + (int64_t)i) + 0.5, y) != leaves);
	*(leaves ? x1 : x0) = from;
}

/* A texture's column or row, and what is between, at a pixel of the canvas and from one to the
 * next: of 65536, from 0 to the end of the texture, which repeats. */
struct walk {
	int32_t at, step, end;
};

static int32_t wrapped(double v, uint32_t n)
{
	/* What is so far away is hostile: any pixel will do. */
	double t = v > -1e9 && v < 1e9 ? fmod(v, n) : 0;
	int32_t fixed = (int32_t)((t < 0 ? t + n : t) * ONE);

	return fixed < (int32_t)n * ONE ? fixed : 0;
}

static struct walk walk_from(const struct tw_slope *s, uint32_t n, double x, double y)
{
	double step = s->dx * n;

	return (struct walk){
		wrapped(value(s, x, y) * n - 0.5, n),
		step > -1e9 && step < 1e9 ? (int32_t)(fmod(step, n) * ONE) : 0,
		(int32_t)n * ONE,
	};
}

static inline void advance(struct walk *w)
{
	w->at += w->step;
	if (w->at >= w->end)
		w->at -= w->end;
	else if (w->at < 0)
		w->at += w->end;
}

static inline uint32_t sample(
	const struct tw_texture *t, const struct walk *u, const struct walk *v)
{
	uint32_t x = (uint32_t)u->at / ONE, y = (uint32_t)v->at / ONE;
	size_t x1 = x + 1 < t->w ? x + 1 : 0, y1 = y + 1 < t->h ? y + 1 : 0;
	const uint8_t *r0 = t->rgba + (size_t)y * t->w * 4, *r1 = t->rgba + y1 * t->w * 4;
	uint32_t f = (uint32_t)u->at / 256 & 255, g = (uint32_t)v->at / 256 & 255;

	return tw_mix(tw_mix(load_u32(r0 + (size_t)x * 4), load_u32(r0 + x1 * 4), f),
		tw_mix(load_u32(r1 + (size_t)x * 4), load_u32(r1 + x1 * 4), f), g);
}

/* Colours on their way along a row, of 65536. */
struct shade {
	int64_t at[4], step[4];
	bool still;
	uint32_t color; /* as pixel.h has it */
};

static void shade_now(struct shade *s)
{
	uint8_t c[4];

	/* Of a triangle that is large beyond measure the values are not exact. */
	for (int k = 0; k < 4; k++)
		c[k] = (uint8_t)(s->at[k] < 0 ? 0 : s->at[k] >= 256 * ONE ? 255 : s->at[k] / ONE);
	s->color = tw_pixel(c);
}

static struct shade shade_from(const struct tw_triangle *t, double x, double y)
{
	const int64_t far = (int64_t)1 << 40;
	struct shade s = {.still = true};

	for (int k = 0; k < 4; k++) {
		const struct tw_slope *slope = &t->slopes[TW_SLOPE_COLOR + k];
		double v = t->even ? t->c[0]->color[k] : value(slope, x, y);

		s.at[k] = bound((v + 0.5) * ONE, -far, far);
		s.step[k] = t->even ? 0 : bound(slope->dx * ONE, -far, far);
		s.still = s.still && !s.step[k];
	}
	shade_now(&s);
	return s;
}

static void draw_row(struct tw_painter *p, const struct tw_triangle *t,
	const struct tw_texture *texture, int64_t row)
{
	int64_t x0 = t->box.x0, x1 = t->box.x1;
	uint8_t *at = p->canvas->rgba + (size_t)row * p->canvas->w * 4;
	struct walk u = {0}, v = {0};
	double x, y = (double)row + 0.5;
	struct shade s;

	for (int i = 0; i < 3; i++)
		cut(&t->edges[i], y, &x0, &x1);
	if (x0 >= x1)
		return;
	x = (double)x0 + 0.5;
	s = shade_from(t, x, y);
	if (texture) {
		u = walk_from(&t->slopes[TW_SLOPE_U], texture->w, x, y);
		v = walk_from(&t->slopes[TW_SLOPE_V], texture->h, x, y);
	}
	for (at += x0 * 4; x0 < x1; x0++, at += 4) {
		tw_blend(at, texture ? tw_tint(sample(texture, &u, &v), s.color) : s.color);
		advance(&u);
		advance(&v);
		if (s.still)
			continue;
		for (int k = 0; k < 4; k++)
			s.at[k] += s.step[k];
		shade_now(&s);
	}
}

int tw_triangle_draw(struct tw_painter *p, const struct tw_triangle *t,
	const struct tw_texture *texture, struct error *e)
{
	const struct tw_clip *b = &t->box;
	int r = tw_canvas_spend(p->canvas, (uint64_t)((b->x1 - b->x0) * (b->y1 - b->y0)), e);

	for (int64_t y = b->y0; r == 0 && y < b->y1; y++)
		draw_row(p, t, texture, y);
	return r;
}
