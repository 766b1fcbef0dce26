/* SPDX-License-Identifier: Zlib */
/*
 * cost: how surprising is what a reading reads? Counted in the bits that a code would take in which
 * small numbers, and small steps from one number to the next, are short. All readings cover the
 * same bytes, so the one that explains them best takes the fewest bits; a size that is taken for a
 * coordinate, or a number in the wrong byte order, costs dozens.
 */
#include "formats/triclon/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	COST_BACKWARDS = 12, /* an order that is expected does not hold */
	COST_BEYOND = 40,    /* an index of no point: the map is refused */
	COST_OUTSIDE = 8,    /* an object that is not above the ground */
	COST_NO_POINTS = 8,
	COST_SWAPPED = 16, /* a tag that only a big-endian program writes */
	COST_REAL = 16,
	COST_FRACTION = 8, /* of a float: what stands after its point */
	ABSURD = 1 << 20,  /* no coordinate is as large as that */
};

uint64_t tcm_bits(uint64_t v)
{
	return 2 * (uint64_t)(63 - __builtin_clzll(v + 1)) + 1;
}

static uint64_t bits_signed(int64_t v)
{
	return 1 + tcm_bits(v < 0 ? (uint64_t)-v : (uint64_t)v);
}

uint32_t tcm_load(const uint8_t *p, unsigned width, bool big)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v |= (uint32_t)p[i] << 8 * (big ? width - 1 - i : i);
	return v;
}

static float as_float(uint32_t stored)
{
	float f;

	memcpy(&f, &stored, sizeof(f));
	return f;
}

static int64_t coordinate(const uint8_t *p, const struct tcm_variant *v)
{
	uint32_t stored = tcm_load(p, 4, v->big);

	return v->real ? (int64_t)as_float(stored) : (int32_t)stored;
}

static uint64_t terrain_cost(const struct tcm_reading *r, const uint8_t *data)
{
	const uint8_t *p = data + r->terrain;
	uint64_t cost = tcm_bits(r->n_terrain);
	int64_t before = -1;

	for (size_t i = 0; i < r->n_terrain; i++, p += 4) {
		int64_t index = tcm_load(p, 2, r->variant.big), step = index - before - 1;

		cost += step < 0 ? COST_BACKWARDS + tcm_bits((uint64_t)-step)
				 : tcm_bits((uint64_t)step);
		if ((size_t)index >= r->n_points)
			cost += COST_BEYOND;
		cost += tcm_bits(tcm_load(p + 2, 2, r->variant.big));
		before = index;
	}
	return cost;
}

/* Digits of a number of which only the range is known. */
static uint64_t digits(uint64_t range)
{
	return tcm_bits(range) / 2 + 1;
}

/* A column of numbers: what it costs by the steps between them, and what by the range. */
struct column {
	int64_t before, min, max;
	uint64_t steps;
	size_t n;
};

static void column_add(struct column *c, int64_t v)
{
	c->steps += bits_signed(v - c->before);
	c->min = c->n && c->min < v ? c->min : v;
	c->max = c->n && c->max > v ? c->max : v;
	c->before = v;
	c->n++;
}

static uint64_t column_cost(const struct column *c)
{
	uint64_t range = bits_signed(c->min) + tcm_bits((uint64_t)(c->max - c->min)) +
			 c->n * digits((uint64_t)(c->max - c->min));

	return c->steps < range ? c->steps : range;
}

/* From left to right: x as steps, which may be all alike. */
static uint64_t points_cost(const struct tcm_reading *r, const uint8_t *data, struct column *ret_x)
{
	struct column x = {0}, step = {0}, y = {0};
	const uint8_t *p = data + r->points;
	uint64_t cost = r->n_points ? 0 : COST_NO_POINTS;

	for (size_t i = 0; i < r->n_points; i++, p += 8) {
		int64_t v = coordinate(p, &r->variant);

		if (i)
			column_add(&step, v - x.before);
		cost += i && v < x.before ? COST_BACKWARDS : 0;
		column_add(&x, v);
		column_add(&y, coordinate(p + 4, &r->variant));
	}
	*ret_x = x;
	if (r->variant.real)
		cost += COST_REAL + 2 * COST_FRACTION * r->n_points;
	return cost +
	       (x.steps < bits_signed(x.min) + column_cost(&step)
			       ? x.steps
			       : bits_signed(x.min) + column_cost(&step)) +
	       column_cost(&y);
}

/* Sorted, by their steps; or each somewhere on the ground, of which the range is known. */
static uint64_t objects_cost(
	const struct tcm_reading *r, const uint8_t *data, const struct column *ground)
{
	uint64_t cost = tcm_bits(r->n_objects),
		 range = digits((uint64_t)(ground->max - ground->min));
	const uint8_t *p = data + r->objects;
	struct column x = {0}, type = {0};
	size_t outside = 0;

	for (size_t i = 0; i < r->n_objects; i++, p += 8) {
		column_add(&x, coordinate(p, &r->variant));
		column_add(&type, tcm_load(p + 4, 4, r->variant.big));
		outside += x.before < ground->min || x.before > ground->max;
	}
	if (outside || column_cost(&x) < r->n_objects * range)
		cost += column_cost(&x) + outside * COST_OUTSIDE;
	else
		cost += r->n_objects * range;
	return cost + column_cost(&type);
}

uint64_t tcm_reading_cost(const struct tcm_reading *r, const uint8_t *data)
{
	const struct tcm_variant *v = &r->variant;
	struct column x;
	uint64_t cost = points_cost(r, data, &x) + terrain_cost(r, data);

	if (r->has_objects)
		cost += objects_cost(r, data, &x);
	/* Among so many places one gives a size by chance. */
	if (r->has_objects && v->points == TCM_NONE)
		cost += digits(r->n_points + r->n_objects);
	if (!v->big && v->tag[0] == '3')
		cost += COST_SWAPPED;
	/* What the page says rather than what it hints at, where nothing else decides. */
	return cost + (v->big ? 1 : 0) + (v->lists == TCM_COUNT ? 2 : 0) +
	       (v->points != TCM_NONE ? 2 : 0) + (v->points == TCM_COUNT ? 1 : 0);
}

/* Absurd as an integer, plausible as a float; 0 is both. */
bool tcm_reading_is_real(const struct tcm_reading *r, const uint8_t *data)
{
	const uint8_t *p = data + r->points;
	bool any = false;

	for (size_t i = 0; i < 2 * r->n_points; i++, p += 4) {
		uint32_t stored = tcm_load(p, 4, r->variant.big);
		float f = fabsf(as_float(stored));

		if (stored == 0)
			continue;
		if (llabs((int32_t)stored) < ABSURD || !(f < ABSURD) || (f != 0 && f < 1e-3F))
			return false;
		any = true;
	}
	p = data + r->objects;
	for (size_t i = 0; r->has_objects && i < r->n_objects; i++, p += 8)
		if (!(fabsf(as_float(tcm_load(p, 4, r->variant.big))) < ABSURD))
			return false;
	return any;
}
