/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cursor.h"
#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/raster.h"

/* In the integers of a quad: five points, the last of which it turns around; four colours and
 * places in the image. Coordinates are in 1/1024. */
enum { POINTS = 0, PIVOT = 8, COLORS = 10, TEXTURE = 26, MOVED_BY = 34, COLORED_BY = 36 };
enum { FIXED = 1024, SAMPLES_MAX = 8 };

struct corner {
	double x, y;     /* on the canvas */
	double color[4]; /* 0..255 */
	double u, v;     /* 1: the image's width, its height */
};

/* The game draws two triangles: the corners are top left, top right, bottom left, bottom right. */
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

/* What changes evenly over a triangle: its value at the canvas's corner, and from pixel to pixel.
 */
struct slope {
	double at, dx, dy;
};

enum { RED, ALPHA = 3, U, V, SLOPES };

struct triangle {
	const struct corner *c[3];
	const struct tw_texture *texture;
	double area;           /* twice */
	double most;           /* pixels of the texture for one of the canvas, in a direction */
	uint32_t samples;      /* of the texture for a pixel, in each direction */
	struct slope edges[3]; /* not negative inside; the i-th is opposite to corner i */
	struct slope slopes[SLOPES];
};

static double value(const struct slope *s, double x, double y)
{
	return s->at + s->dx * x + s->dy * y;
}

/* The two pixels of n that `at` (1: all of them) lies between, and how much of the second (of 256).
 * Textures repeat. */
static uint32_t neighbours(double at, uint32_t n, uint32_t *a, uint32_t *b)
{
	double t = at * n - 0.5;
	int64_t whole;

	/* What is so far away is hostile: any pixel will do. */
	if (!(t > -1e9 && t < 1e9))
		t = 0;
	whole = (int64_t)t - (t < 0);
	t -= (double)whole;
	if (whole < 0 || whole >= n)
		whole = (whole % n + n) % n;
	*a = (uint32_t)whole;
	*b = *a + 1 < n ? *a + 1 : 0;
	return (uint32_t)(t * 256) & 255;
}

static void sample(const struct tw_texture *t, double u, double v, uint32_t *sum)
{
	uint32_t x[2], y[2], fx = neighbours(u, t->w, &x[0], &x[1]);
	uint32_t fy = neighbours(v, t->h, &y[0], &y[1]);
	const uint8_t *r0 = t->rgba + (size_t)y[0] * t->w * 4;
	const uint8_t *r1 = t->rgba + (size_t)y[1] * t->w * 4;

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t top = r0[4 * x[0] + i] * (256 - fx) + r0[4 * x[1] + i] * fx;
		uint32_t low = r1[4 * x[0] + i] * (256 - fx) + r1[4 * x[1] + i] * fx;

		sum[i] += (top * (256 - fy) + low * fy + 32768) >> 16;
	}
}

/* Of a triangle that is large beyond measure the values are not exact. */
static uint8_t byte_of(double v)
{
	return !(v > 0) ? 0 : v >= 255 ? 255 : (uint8_t)(v + 0.5);
}

static void shade(const struct triangle *t, const double *at, uint8_t *pixel)
{
	uint32_t sum[4] = {0}, n = t->samples;
	uint8_t color[4], rgba[4] = {255, 255, 255, 255};

	color[ALPHA] = byte_of(at[ALPHA]);
	if (!color[ALPHA])
		return;
	for (int k = RED; k < ALPHA; k++)
		color[k] = byte_of(at[k]);
	for (uint32_t i = 0; t->texture && i < n * n; i++) {
		double sx = (i % n + 0.5) / n - 0.5, sy = (i / n + 0.5) / n - 0.5;

		sample(t->texture, at[U] + sx * t->slopes[U].dx + sy * t->slopes[U].dy,
			at[V] + sx * t->slopes[V].dx + sy * t->slopes[V].dy, sum);
	}
	for (int k = 0; t->texture && k < 4; k++)
		rgba[k] = (uint8_t)(sum[k] / (n * n));
	tw_tint(rgba, color);
	tw_blend(pixel, rgba);
}

static struct slope edge(const struct corner *a, const struct corner *b, double sign)
{
	double dx = (b->x - a->x) * sign, dy = (b->y - a->y) * sign;

	return (struct slope){dy * a->x - dx * a->y, -dy, dx};
}

static struct slope slope_of(const struct triangle *t, double a, double b, double c)
{
	struct slope s = {0};
	const double v[3] = {a, b, c};

	for (int i = 0; i < 3; i++) {
		s.at += v[i] * t->edges[i].at / t->area;
		s.dx += v[i] * t->edges[i].dx / t->area;
		s.dy += v[i] * t->edges[i].dy / t->area;
	}
	return s;
}

/* false: nothing of it can be seen. */
static bool measure(struct triangle *t)
{
	const struct corner *a = t->c[0], *b = t->c[1], *c = t->c[2];
	double area = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x), most;
	double sign = area < 0 ? -1 : 1;

	t->area = area * sign;
	t->samples = 1;
	if (!(t->area > 1e-9) || !(t->area < 1e18))
		return false;
	t->edges[0] = edge(b, c, sign);
	t->edges[1] = edge(c, a, sign);
	t->edges[2] = edge(a, b, sign);
	for (int k = RED; k <= ALPHA; k++)
		t->slopes[k] = slope_of(t, a->color[k], b->color[k], c->color[k]);
	t->slopes[U] = slope_of(t, a->u, b->u, c->u);
	t->slopes[V] = slope_of(t, a->v, b->v, c->v);
	t->most = 1;
	if (!t->texture)
		return true;
	most = t->most = fmax(fmax(fabs(t->slopes[U].dx), fabs(t->slopes[U].dy)) * t->texture->w,
		fmax(fabs(t->slopes[V].dx), fabs(t->slopes[V].dy)) * t->texture->h);
	t->samples = most <= 1.5 ? 1 : most >= SAMPLES_MAX ? SAMPLES_MAX : (uint32_t)ceil(most);
	return true;
}

/* A point on an edge that two triangles share belongs to one of them. */
static bool is_inside(const struct slope *s, double v)
{
	return v > 0 || (v == 0 && (s->dx > 0 || (s->dx == 0 && s->dy > 0)));
}

static void draw_row(
	struct tw_painter *p, const struct triangle *t, int64_t y, int64_t x0, int64_t x1)
{
	uint8_t *row = p->canvas->rgba + (size_t)y * p->canvas->w * 4;
	double py = (double)y + 0.5;

	for (int64_t x = x0; x < x1; x++) {
		double px = (double)x + 0.5, at[SLOPES];
		bool inside = true;

		for (int i = 0; inside && i < 3; i++)
			inside = is_inside(&t->edges[i], value(&t->edges[i], px, py));
		if (!inside)
			continue;
		for (int k = 0; k < SLOPES; k++)
			at[k] = value(&t->slopes[k], px, py);
		shade(t, at, row + 4 * x);
	}
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

static int draw_triangle(struct tw_painter *p, struct triangle *t, struct error *e)
{
	const struct corner *a = t->c[0], *b = t->c[1], *c = t->c[2];
	const struct tw_clip *clip = &p->clip;
	int64_t x0 = bound(least(a->x, b->x, c->x), clip->x0, clip->x1);
	int64_t y0 = bound(least(a->y, b->y, c->y), clip->y0, clip->y1);
	int64_t x1 = bound(2 - least(-a->x, -b->x, -c->x), clip->x0, clip->x1);
	int64_t y1 = bound(2 - least(-a->y, -b->y, -c->y), clip->y0, clip->y1);
	int r;

	if (x0 >= x1 || y0 >= y1)
		return 0;
	r = tw_canvas_spend(
		p->canvas, (uint64_t)((x1 - x0) * (y1 - y0)) * t->samples * t->samples, e);
	for (int64_t y = y0; r == 0 && y < y1; y++)
		draw_row(p, t, y, x0, x1);
	return r;
}

/* The same quad with an image of fewer pixels, where it shows that small. */
static int coarser(struct tw_painter *p, struct triangle *t, struct error *e)
{
	uint32_t longest = t->texture->w > t->texture->h ? t->texture->w : t->texture->h;
	uint32_t side = TW_TEXTURE_MAX;
	double most = t->most * side / longest;
	int r;

	while (side > 1 && most >= 2) {
		side /= 2;
		most /= 2;
	}
	if (side >= longest)
		return 0;
	r = tw_texture_get(p->textures, t->texture->image, false, side, &t->texture, e);
	if (r == 0)
		(void)measure(t);
	return r;
}

static int draw_quad(struct tw_painter *p, const int32_t *q, int64_t image, struct error *e)
{
	struct corner corners[4];
	int r = tw_canvas_spend(p->canvas, 1, e);

	place_corners(p, q, corners);
	for (int i = 0; r == 0 && i < 2; i++) {
		struct triangle t = {0};

		for (int k = 0; k < 3; k++)
			t.c[k] = &corners[triangles[i][k]];
		if (image >= 0)
			r = tw_texture_get(
				p->textures, (uint32_t)image, false, TW_TEXTURE_MAX, &t.texture, e);
		if (r < 0 || !measure(&t))
			continue;
		if (t.texture)
			r = coarser(p, &t, e);
		if (r == 0)
			r = draw_triangle(p, &t, e);
	}
	return r;
}

int tw_draw_quads(struct tw_painter *p, const struct tw_item *it, struct error *e)
{
	struct blob *b = tw_blob_of(p->m, it, TW_LIST_DATA);
	uint32_t position, size = 4 * TW_ELEMENT_MAX;
	uint8_t stored[4 * TW_ELEMENT_MAX];
	int32_t q[TW_ELEMENT_MAX];
	int64_t image = -1;
	int r = 0;

	if (tw_list_form(p->m, it) != TW_FORM_QUADS || !b)
		return 0;
	if (tw_ref_position(p->m, TW_SORT_IMAGE, tw_int(it, TW_LIST_SOURCE, -1), &position) == 0)
		image = position;
	for (uint32_t i = 0; r == 0 && i < (uint32_t)it->ints->v[TW_LIST_COUNT]; i++) {
		r = blob_read(b, (uint64_t)i * size, stored, size, e);
		for (uint32_t k = 0; r == 0 && k < TW_ELEMENT_MAX; k++)
			q[k] = load_i32(stored + 4 * k);
		if (r == 0)
			r = draw_quad(p, q, image, e);
	}
	return r == -EIO || r == -ENOENT ? 0 : r;
}
