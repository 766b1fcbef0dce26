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

struct range {
	int64_t min, max;
	size_t backwards; /* steps down */
};

/* Of a number of which only the range is known. */
static uint64_t range_bits(const struct range *r)
{
	return tcm_bits((uint64_t)(r->max - r->min)) / 2 + 1;
}

/* By the steps from one to the next, by what those change where they may be all alike (even), or by
 * the range that all are in: whatever is shortest. */
static uint64_t column_cost(const struct tcm_content *c, enum tcm_file list, unsigned which,
	bool even, struct range *ret)
{
	uint64_t steps = 0, bends = 0, range;
	struct range all = {0};
	int64_t before = 0, step = 0;
	size_t n = c->lists[list].n;

	for (size_t i = 0; i < n; i++) {
		int64_t v = (int64_t)tcm_value(c, list, which, i);

		steps += bits_signed(v - before);
		bends += bits_signed(v - before - step);
		step = i ? v - before : 0;
		all.min = i && all.min < v ? all.min : v;
		all.max = i && all.max > v ? all.max : v;
		all.backwards += i && v < before;
		before = v;
	}
	range = bits_signed(all.min) + tcm_bits((uint64_t)(all.max - all.min)) +
		n * range_bits(&all);
	*ret = all;
	range = steps < range ? steps : range;
	return even && bends < range ? bends : range;
}

/* Are all coordinates small as floats, and those of points, but for zeros, absurd as integers? */
static bool is_real(const struct tcm_content *c)
{
	bool any = false;

	for (unsigned k = 0; k < 3; k++) {
		enum tcm_file list = k ? TCM_POINTS : TCM_OBJECTS;

		for (size_t i = 0; i < c->lists[list].n; i++) {
			uint32_t stored = tcm_stored(c, list, k == 2, i);
			float f = fabsf(tcm_float(stored));

			if (!(f < ABSURD))
				return false;
			if (k && stored && (llabs((int32_t)stored) < ABSURD || f < 1e-3F))
				return false;
			any |= k && stored;
		}
	}
	return any;
}

static uint64_t terrain_cost(const struct tcm_content *c)
{
	size_t n = c->lists[TCM_TERRAIN].n;
	struct range range;
	uint64_t cost = tcm_bits(n) + column_cost(c, TCM_TERRAIN, 0, false, &range);

	cost += COST_BACKWARDS * range.backwards + column_cost(c, TCM_TERRAIN, 1, false, &range);
	for (size_t i = 0; i < n; i++)
		if (tcm_stored(c, TCM_TERRAIN, 0, i) >= c->lists[TCM_POINTS].n)
			cost += COST_BEYOND;
	return cost;
}

/* From left to right. */
static uint64_t points_cost(const struct tcm_content *c, struct range *ret_ground)
{
	size_t n = c->lists[TCM_POINTS].n;
	struct range range;
	uint64_t cost = column_cost(c, TCM_POINTS, 0, true, ret_ground) +
			column_cost(c, TCM_POINTS, 1, false, &range);

	if (!n)
		cost += COST_NO_POINTS;
	if (c->variant.real)
		cost += COST_REAL + 2 * COST_FRACTION * n;
	return cost + COST_BACKWARDS * ret_ground->backwards;
}

/* Each somewhere on the ground, of which the range is known. */
static uint64_t objects_cost(const struct tcm_content *c, const struct range *ground)
{
	size_t n = c->lists[TCM_OBJECTS].n, outside = 0;
	struct range range;
	uint64_t cost = column_cost(c, TCM_OBJECTS, 0, false, &range);
	uint64_t known = n * range_bits(ground);

	for (size_t i = 0; i < n; i++) {
		int64_t x = (int64_t)tcm_value(c, TCM_OBJECTS, 0, i);

		outside += x < ground->min || x > ground->max;
	}
	if (outside || cost < known)
		known = cost + COST_OUTSIDE * outside;
	cost = tcm_bits(n) + known + column_cost(c, TCM_OBJECTS, 1, false, &range);
	/* Among so many places one gives a size by chance. */
	if (c->variant.answers[TCM_SIZE] == TCM_NONE)
		cost += tcm_bits(c->lists[TCM_POINTS].n + n) / 2 + 1;
	return cost;
}

uint64_t tcm_cost(struct tcm_content *c)
{
	const int *answers = c->variant.answers;
	struct range ground;
	uint64_t cost;

	c->variant.real = is_real(c);
	cost = points_cost(c, &ground) + terrain_cost(c);
	if (c->lists[TCM_OBJECTS].at)
		cost += objects_cost(c, &ground);
	if (answers[TCM_ENDIAN] == TCM_LITTLE && c->variant.tag[0] == '3')
		cost += COST_SWAPPED;
	/* What the page says rather than what it hints at, where nothing else decides. */
	return cost + (uint64_t)answers[TCM_ENDIAN] + (answers[TCM_LISTS] == TCM_COUNT ? 2 : 0) +
	       (answers[TCM_SIZE] ? 1 + (uint64_t)answers[TCM_SIZE] : 0);
}
