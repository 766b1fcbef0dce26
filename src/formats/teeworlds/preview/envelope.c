/* SPDX-License-Identifier: Zlib */
#include <math.h>

#include "base/array.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/view.h"

enum { CURVE_STEP, CURVE_LINEAR, CURVE_SLOW, CURVE_FAST, CURVE_SMOOTH, CURVE_BEZIER };
/* Indices of the integers of a point. */
enum { TIME, CURVE, VALUES, OUT_DX = 14, OUT_DY = 18, IN_DX = 6, IN_DY = 10 };

static double cubic_value(double a, double b, double c, double d, double t)
{
	double s = 1 - t;

	return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

/* The value of channel i at `time`, on a cubic Bezier curve between two points. The tangents of the
 * points give its inner control points. */
static double bezier_value(const int32_t *from, const int32_t *to, int i, double time)
{
	double x0 = from[TIME], x3 = to[TIME];
	double x1 = fmin(fmax(x0 + from[OUT_DX + i], x0), x3);
	double x2 = fmin(fmax(x3 + to[IN_DX + i], x0), x3);
	double low = 0, high = 1;

	/* x grows along the curve, because the inner points are between the outer ones. */
	for (int k = 0; k < 40; k++) {
		double middle = (low + high) / 2;

		if (cubic_value(x0, x1, x2, x3, middle) < time)
			low = middle;
		else
			high = middle;
	}
	return cubic_value(from[VALUES + i], (double)from[VALUES + i] + from[OUT_DY + i],
		(double)to[VALUES + i] + to[IN_DY + i], to[VALUES + i], low);
}

static double apply_curve(int32_t curve, double a)
{
	switch (curve) {
	case CURVE_STEP:
		return 0;
	case CURVE_SLOW:
		return a * a * a;
	case CURVE_FAST:
		return 1 - (1 - a) * (1 - a) * (1 - a);
	case CURVE_SMOOTH:
		return a * a * (3 - 2 * a);
	default:
		return a;
	}
}

static void interpolate(const int32_t *from, const int32_t *to, double time, double ret[4])
{
	double a = (time - from[TIME]) / ((double)to[TIME] - from[TIME]);

	for (int i = 0; i < 4; i++) {
		ret[i] = from[VALUES + i] +
			 apply_curve(from[CURVE], a) * ((double)to[VALUES + i] - from[VALUES + i]);
		if (from[CURVE] == CURVE_BEZIER)
			ret[i] = bezier_value(from, to, i, time);
	}
}

static double point_time(const struct tw_points *p, size_t i)
{
	int32_t point[TW_POINT_FULL];

	tw_points_get(p, (uint32_t)i, point);
	return point[TIME];
}

bool tw_envelope_at(const struct tw_map *m, int32_t reference, int32_t offset, double ret[4])
{
	int32_t point[TW_POINT_FULL], next[TW_POINT_FULL];
	struct tw_points p;
	uint32_t position, begin, end, at;
	double time = offset;

	if (tw_ref_position(m, TW_SORT_ENVELOPE, reference, &position) < 0)
		return false;
	tw_points_get_envelope(m, tw_item_at(m, TW_ENVELOPE, position), &p);
	tw_points_range(&p, tw_item_at(m, TW_ENVELOPE, position), &begin, &end);
	if (begin == end)
		return false;
	tw_points_get(&p, end - 1, point);
	time = point[TIME] > 0 ? fmod(time, point[TIME]) : 0;
	for (int i = 0; i < 4; i++)
		ret[i] = point[VALUES + i];
	/* Points are in the order of their times. If they are not, any point may be found. */
	at = begin + (uint32_t)array_bisect(i, end - begin, point_time(&p, begin + i) >= time);
	/* If several first points have this time, the curve continues at the last. */
	if (at == begin)
		at += (uint32_t)array_bisect(i, end - begin, point_time(&p, begin + i) > time);
	if (at == begin || at == end)
		return true;
	tw_points_get(&p, at - 1, point);
	tw_points_get(&p, at, next);
	if (time >= point[TIME] && time <= next[TIME] && next[TIME] > point[TIME])
		interpolate(point, next, time, ret);
	return true;
}
