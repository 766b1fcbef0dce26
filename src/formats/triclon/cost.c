/* SPDX-License-Identifier: Zlib */
/*
 * cost: how surprising is what a reading reads? Counted in the bits that a code would take in which
 * small numbers, and small steps from one number to the next, are short. All readings cover the
 * same bytes, so the one that explains them best takes the fewest bits; a size that is taken for a
 * coordinate, or a number in the wrong byte order, costs dozens.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/triclon/reading.h"

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

/* One of the two numbers of each record of a list. */
struct column {
	const uint8_t *p;
	unsigned width;
	size_t n;
	bool big, real, coordinate;
	bool even; /* its steps may be all alike */
};

static struct column column_of(
	const struct tcm_reading *r, const uint8_t *data, enum tcm_file list, unsigned k)
{
	unsigned width = tcm_widths[list] / 2;

	return (struct column){.p = data + r->lists[list].at + k * width,
		.width = width,
		.n = r->lists[list].n,
		.big = r->variant.answers[TCM_ENDIAN] == TCM_BIG,
		.real = r->variant.real,
		.coordinate = list == TCM_POINTS || (list == TCM_OBJECTS && k == 0),
		.even = list == TCM_POINTS && k == 0};
}

static uint32_t stored_at(const struct column *c, size_t i)
{
	return tcm_load(c->p + 2 * c->width * i, c->width, c->big);
}

static int64_t value_at(const struct column *c, size_t i)
{
	uint32_t stored = stored_at(c, i);

	if (!c->coordinate)
		return stored;
	return c->real ? (int64_t)tcm_float(stored) : (int32_t)stored;
}

struct range {
	int64_t min, max;
	size_t backwards; /* steps down */
};

/* Of a number of which only the range is known. */
static uint64_t range_bits(const struct range *r)
{
	return tcm_bits((uint64_t)(r->max - r->min)) / 2 + 1;
}

/* By the steps from one to the next, by what those change, or by the range that all are in:
 * whatever is shortest. */
static uint64_t column_cost(const struct column *c, struct range *ret)
{
	uint64_t steps = 0, bends = 0, range;
	struct range all = {0};
	int64_t before = 0, step = 0;

	for (size_t i = 0; i < c->n; i++) {
		int64_t v = value_at(c, i);

		steps += bits_signed(v - before);
		bends += bits_signed(v - before - step);
		step = i ? v - before : 0;
		all.min = i && all.min < v ? all.min : v;
		all.max = i && all.max > v ? all.max : v;
		all.backwards += i && v < before;
		before = v;
	}
	range = bits_signed(all.min) + tcm_bits((uint64_t)(all.max - all.min)) +
		c->n * range_bits(&all);
	*ret = all;
	range = steps < range ? steps : range;
	return c->even && bends < range ? bends : range;
}

/* Are all of a column small as floats; and are they, but for zeros, absurd as integers? */
static bool are_floats(const struct column *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!(fabsf(tcm_float(stored_at(c, i))) < ABSURD))
			return false;
	return true;
}

static bool are_no_integers(const struct column *c, size_t *n)
{
	for (size_t i = 0; i < c->n; i++) {
		uint32_t stored = stored_at(c, i);

		if (stored != 0 &&
			(llabs((int32_t)stored) < ABSURD || fabsf(tcm_float(stored)) < 1e-3F))
			return false;
		*n += stored != 0;
	}
	return true;
}

static bool is_real(const struct tcm_reading *r, const uint8_t *data)
{
	struct column x = column_of(r, data, TCM_POINTS, 0), y = column_of(r, data, TCM_POINTS, 1);
	struct column objects = column_of(r, data, TCM_OBJECTS, 0);
	size_t n = 0;

	return are_no_integers(&x, &n) && are_no_integers(&y, &n) && n && are_floats(&x) &&
	       are_floats(&y) && are_floats(&objects);
}

static uint64_t terrain_cost(const struct tcm_reading *r, const uint8_t *data)
{
	struct column index = column_of(r, data, TCM_TERRAIN, 0);
	struct column type = column_of(r, data, TCM_TERRAIN, 1);
	struct range range;
	uint64_t cost = tcm_bits(index.n) + column_cost(&index, &range);

	cost += COST_BACKWARDS * range.backwards + column_cost(&type, &range);
	for (size_t i = 0; i < index.n; i++)
		cost += value_at(&index, i) < (int64_t)r->lists[TCM_POINTS].n ? 0 : COST_BEYOND;
	return cost;
}

/* From left to right. */
static uint64_t points_cost(
	const struct tcm_reading *r, const uint8_t *data, struct range *ret_ground)
{
	struct column x = column_of(r, data, TCM_POINTS, 0), y = column_of(r, data, TCM_POINTS, 1);
	struct range range;
	uint64_t cost = column_cost(&x, ret_ground) + column_cost(&y, &range);

	if (!x.n)
		cost += COST_NO_POINTS;
	if (r->variant.real)
		cost += COST_REAL + 2 * COST_FRACTION * x.n;
	return cost + COST_BACKWARDS * ret_ground->backwards;
}

/* Each somewhere on the ground, of which the range is known. */
static uint64_t objects_cost(
	const struct tcm_reading *r, const uint8_t *data, const struct range *ground)
{
	struct column x = column_of(r, data, TCM_OBJECTS, 0);
	struct column type = column_of(r, data, TCM_OBJECTS, 1);
	struct range range;
	uint64_t cost = column_cost(&x, &range);
	uint64_t known = x.n * range_bits(ground);
	size_t outside = 0;

	for (size_t i = 0; i < x.n; i++)
		outside += value_at(&x, i) < ground->min || value_at(&x, i) > ground->max;
	if (outside || cost < known)
		known = cost + COST_OUTSIDE * outside;
	cost = tcm_bits(x.n) + known + column_cost(&type, &range);
	/* Among so many places one gives a size by chance. */
	if (r->variant.answers[TCM_SIZE] == TCM_NONE)
		cost += tcm_bits(r->lists[TCM_POINTS].n + x.n) / 2 + 1;
	return cost;
}

uint64_t tcm_reading_cost(struct tcm_reading *r, const uint8_t *data)
{
	const int *answers = r->variant.answers;
	struct range ground;
	uint64_t cost;

	r->variant.real = is_real(r, data);
	cost = points_cost(r, data, &ground) + terrain_cost(r, data);
	if (r->has_objects)
		cost += objects_cost(r, data, &ground);
	if (answers[TCM_ENDIAN] == TCM_LITTLE && r->variant.tag[0] == '3')
		cost += COST_SWAPPED;
	/* What the page says rather than what it hints at, where nothing else decides. */
	return cost + (uint64_t)answers[TCM_ENDIAN] + (answers[TCM_LISTS] == TCM_COUNT ? 2 : 0) +
	       (answers[TCM_SIZE] ? 1 + (uint64_t)answers[TCM_SIZE] : 0);
}
