/* SPDX-License-Identifier: Zlib */
/*
 * preview: a picture of the ground and of the objects on it. The direction of y is unknown; here it
 * goes down, as on a screen.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "formats/preview.h"
#include "formats/triclon/map.h"

enum {
	STEPS_MAX = 32 << 20, /* pixels of all lines: a small map can ask for any number */
	FLAT = 4,             /* the largest ratio of width to height */
	MARGIN = 16,          /* the longest side divided by the margin on each side */
	MARK = 128,           /* the longest side divided by the mark of an object */
	COLORS = 8,
};

static const uint8_t sky[4] = {150, 190, 225, 255}, line[4] = {40, 30, 20, 255};
static const uint8_t grounds[COLORS][4] = {{120, 90, 60, 255}, {90, 150, 70, 255},
	{200, 180, 110, 255}, {130, 130, 140, 255}, {235, 240, 245, 255}, {70, 110, 160, 255},
	{150, 70, 50, 255}, {100, 120, 60, 255}};
static const uint8_t marks[COLORS][4] = {{220, 50, 50, 255}, {250, 200, 40, 255},
	{60, 90, 220, 255}, {230, 120, 30, 255}, {170, 60, 200, 255}, {40, 180, 170, 255},
	{250, 250, 250, 255}, {20, 20, 20, 255}};

struct scene {
	const struct tcm_content *c;
	uint32_t w, h;
	double x, y, step; /* world coordinates of the corner, and the size of a pixel */
	uint8_t *rgba;
	int32_t *top;   /* of the ground, for each column; h: no ground */
	uint8_t *color; /* of the ground, for each column */
	uint64_t steps;
};

struct point {
	double x, y;
};

/* A coordinate, or 0 if it is not finite. */
static double coordinate(const struct tcm_content *c, enum tcm_file table, unsigned which, size_t i)
{
	double v = tcm_value(c, table, which, i);

	return isfinite(v) ? v : 0;
}

static struct point point_at(const struct tcm_content *c, size_t i)
{
	return (struct point){coordinate(c, TCM_POINTS, 0, i), coordinate(c, TCM_POINTS, 1, i)};
}

static int measure_scene(struct scene *s, uint32_t longest, struct error *e)
{
	size_t n = s->c->lists[TCM_POINTS].n;
	struct point low, high;
	double w, h, most;

	if (!n)
		return error_set(e, -ENODATA, "the map has no points");
	low = high = point_at(s->c, 0);
	for (size_t i = 1; i < n; i++) {
		struct point p = point_at(s->c, i);

		low = (struct point){fmin(low.x, p.x), fmin(low.y, p.y)};
		high = (struct point){fmax(high.x, p.x), fmax(high.y, p.y)};
	}
	most = fmax(fmax(high.x - low.x, high.y - low.y), 1);
	w = fmax(high.x - low.x, most / FLAT) + 2 * most / MARGIN;
	h = fmax(high.y - low.y, most / FLAT) + 2 * most / MARGIN;
	s->step = fmax(w, h) / longest;
	s->w = (uint32_t)fmax(w / s->step, 1);
	s->h = (uint32_t)fmax(h / s->step, 1);
	s->x = (low.x + high.x - w) / 2;
	s->y = (low.y + high.y - h) / 2;
	return 0;
}

static void set_pixel(struct scene *s, int64_t x, int64_t y, const uint8_t *color)
{
	if (x >= 0 && y >= 0 && x < s->w && y < s->h)
		memcpy(s->rgba + ((size_t)y * s->w + (size_t)x) * 4, color, 4);
}

static double column_of(const struct scene *s, double x)
{
	return (x - s->x) / s->step;
}

static double row_of(const struct scene *s, double y)
{
	return (y - s->y) / s->step;
}

/* Draw the line between two points, and record the ground below it. Both are in the picture. */
static int add_line(struct scene *s, struct point a, struct point b, size_t type, struct error *e)
{
	double x0 = column_of(s, fmin(a.x, b.x)), x1 = column_of(s, fmax(a.x, b.x));
	double slope = b.x == a.x ? 0 : (b.y - a.y) / (b.x - a.x);

	for (int64_t x = (int64_t)x0; x <= (int64_t)x1 && x < s->w; x++) {
		double from = s->x + fmax((double)x, x0) * s->step;
		double to = s->x + fmin((double)x + 1, x1) * s->step;
		double y0 = row_of(s, b.x == a.x ? a.y : a.y + (from - a.x) * slope);
		double y1 = row_of(s, b.x == a.x ? b.y : a.y + (to - a.x) * slope);
		int64_t top = (int64_t)fmin(fmax(fmin(y0, y1), 0), s->h - 1);
		int64_t end = (int64_t)fmin(fmax(fmax(y0, y1), 0), s->h - 1);

		s->steps += (uint64_t)(end - top) + 1;
		if (s->steps > STEPS_MAX)
			return error_set(e, -E2BIG, "the lines have more than %d pixels in total",
				STEPS_MAX);
		if (top < s->top[x]) {
			s->top[x] = (int32_t)top;
			s->color[x] = (uint8_t)(type % COLORS);
		}
		for (; top <= end; top++)
			set_pixel(s, x, top, line);
	}
	return 0;
}

static int add_lines(struct scene *s, struct error *e)
{
	size_t n = s->c->lists[TCM_POINTS].n, next = 0;
	uint32_t type = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && (i + 1 < n || (n == 1 && i == 0)); i++) {
		while (next < s->c->lists[TCM_TERRAIN].n &&
			tcm_stored(s->c, TCM_TERRAIN, 0, next) <= i)
			type = tcm_stored(s->c, TCM_TERRAIN, 1, next++);
		r = add_line(s, point_at(s->c, i), point_at(s->c, n == 1 ? 0 : i + 1), type, e);
	}
	return r;
}

/* Draw each object as a square on the ground, or at the bottom where there is no ground. */
static void add_objects(struct scene *s)
{
	int64_t half = (s->w > s->h ? s->w : s->h) / MARK / 2 + 1;

	for (size_t i = 0; i < s->c->lists[TCM_OBJECTS].n; i++) {
		double at = column_of(s, coordinate(s->c, TCM_OBJECTS, 0, i));
		const uint8_t *color = marks[tcm_stored(s->c, TCM_OBJECTS, 1, i) % COLORS];
		int64_t x = at >= 0 && at < s->w ? (int64_t)at : -1;

		for (int64_t k = 0; x >= 0 && k < 4 * half * half; k++)
			set_pixel(s, x - half + k % (2 * half), s->top[x] - 1 - k / (2 * half),
				color);
	}
}

/* Fill the pixels that no line covers. */
static void add_ground(struct scene *s)
{
	for (int64_t y = 0; y < s->h; y++)
		for (uint32_t x = 0; x < s->w; x++)
			if (!s->rgba[((size_t)y * s->w + x) * 4 + 3])
				set_pixel(s, x, y, y < s->top[x] ? sky : grounds[s->color[x]]);
}

static int draw_map(const struct snapshot *snapshot, const struct preview *how, struct picture *ret,
	struct error *e)
{
	struct scene s = {.c = &tcm_map_of(snapshot)->content};
	CLEANUP(bytes_unref) struct bytes *pixels = NULL;
	CLEANUP(free) int32_t *top = NULL;
	CLEANUP(free) uint8_t *color = NULL;
	int r;

	if (how->part != ENTRY_ROOT)
		return error_set(e, -EINVAL, "cannot be drawn alone");
	r = measure_scene(&s, how->size, e);
	if (r < 0)
		return r;
	pixels = bytes_new((uint64_t)s.w * s.h * 4, &s.rgba);
	s.top = top = calloc(s.w, sizeof(*top));
	s.color = color = calloc(s.w, sizeof(*color));
	if (!pixels || !top || !color)
		return error_set(e, -ENOMEM, "out of memory");
	for (uint32_t x = 0; x < s.w; x++)
		top[x] = (int32_t)s.h;
	r = add_lines(&s, e);
	if (r < 0)
		return r;
	add_ground(&s);
	add_objects(&s);
	*ret = (struct picture){s.w, s.h, TAKE(pixels)};
	return 0;
}

const struct format_preview tcm_preview = {.draw = draw_map};
