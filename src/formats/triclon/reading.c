/* SPDX-License-Identifier: Zlib */
/*
 * How surprising is what a reading reads? Counted in the bits that a code would take in which small
 * numbers, and small steps from one number to the next, are short. All readings cover the same
 * bytes, so the one that explains them best takes the fewest bits; a size that is taken for a
 * coordinate, or a number in the wrong byte order, costs dozens.
 */
#include "formats/triclon/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

/* Bits that say a number: twice its digits, the smaller the fewer. */
static uint64_t bits(uint64_t v)
{
	return 2 * (uint64_t)(63 - __builtin_clzll(v + 1)) + 1;
}

static uint64_t bits_signed(int64_t v)
{
	return 1 + bits(v < 0 ? (uint64_t)-v : (uint64_t)v);
}

struct range {
	int64_t min, max;
	size_t backwards; /* steps down */
};

/* Of a number of which only the range is known. */
static uint64_t range_bits(const struct range *r)
{
	return bits((uint64_t)(r->max - r->min)) / 2 + 1;
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
	range = bits_signed(all.min) + bits((uint64_t)(all.max - all.min)) + n * range_bits(&all);
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
	uint64_t cost = bits(n) + column_cost(c, TCM_TERRAIN, 0, false, &range);

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
	cost = bits(n) + known + column_cost(c, TCM_OBJECTS, 1, false, &range);
	/* Among so many places one gives a size by chance. */
	if (c->variant.answers[TCM_SIZE] == TCM_NONE)
		cost += bits(c->lists[TCM_POINTS].n + n) / 2 + 1;
	return cost;
}

/* In bits. Also decides whether coordinates are floats. */
static uint64_t cost_of(struct tcm_content *c)
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

enum {
	NEAR_BITS = 8,     /* a rival that is no worse than this is told */
	COST_SHORT = 32,   /* of a file that ends too early, against one that is whole */
	MISSING_MAX = 256, /* objects; a larger number is rather a coordinate */
	TRIES_MAX = 64,    /* ends of the points that are tried, so that a made-up file ends soon */
};

/* What is searched, and found so far; a cost of UINT64_MAX: nothing. */
struct search {
	const uint8_t *data;
	size_t n;
	uint64_t points; /* that there have to be; UINT64_MAX: any */
	struct tcm_reading best, rival;
	struct tcm_reading wrong; /* the best one that does not come out at the end */
};

static bool fits_points(const struct search *s, size_t n)
{
	return s->points == UINT64_MAX || s->points == n;
}

/* read: the bytes up to which it reads; missing: records that a size promises beyond. */
static void consider(struct search *s, struct tcm_reading r, size_t read, uint64_t missing)
{
	size_t unread = s->n - read;

	if (!fits_points(s, r.content.lists[TCM_POINTS].n))
		return;
	r.cost = cost_of(&r.content);
	if (r.wrong)
		r.cost += COST_SHORT + bits(missing);
	if (unread >= 8)
		r.cost += 8 * unread;
	else if (unread >= 4) /* half a record */
		r.cost += bits(tcm_load(s->data + read, 4, &r.content.variant));
	if (r.wrong) {
		if (r.cost < s->wrong.cost)
			s->wrong = r;
	} else if (r.cost < s->best.cost) {
		s->rival = s->best;
		s->best = r;
	} else if (r.cost < s->rival.cost) {
		s->rival = r;
	}
}

/*
 * Reads the list whose size stands at *at, as far as it goes, and puts *at behind it. False: it
 * does not fit; what is wrong is in r, and in *ret_missing how many records are not there.
 */
static bool take_list(const struct search *s, struct tcm_reading *r, enum tcm_file list, size_t *at,
	uint64_t *ret_missing)
{
	const struct tcm_variant *v = &r->content.variant;
	int how = v->answers[tcm_kinds[list].counts];
	bool sized = s->n - *at >= 4;
	size_t begin = *at + (sized ? 4 : 0), left = s->n - begin,
	       width = 2 * tcm_kinds[list].width;
	uint32_t size = sized ? tcm_load(s->data + *at, 4, v) : 0;
	size_t n = how == TCM_BYTES ? size / width : size;
	bool whole = sized && (how == TCM_COUNT || size % width == 0) && n <= left / width;

	r->content.lists[list] =
		(struct tcm_list){s->data + begin, n < left / width ? n : left / width};
	*at = begin + width * r->content.lists[list].n;
	*ret_missing = n - r->content.lists[list].n;
	if (!whole) {
		r->wrong = tcm_kinds[list].size;
		r->size = size;
		r->left = left;
	}
	return whole;
}

/* After the points: nothing, or objects that take the rest. */
static void try_rest(struct search *s, struct tcm_reading r, size_t at)
{
	uint64_t missing = 0;

	if (at < s->n && take_list(s, &r, TCM_OBJECTS, &at, &missing) && at < s->n) {
		r.wrong = "what follows the objects";
		r.size = r.left = s->n - at;
	}
	consider(s, r, at, missing);
}

/* No size before the points: they go on to the end, or to an objects list that takes the rest. */
static void try_without_size(struct search *s, struct tcm_reading r, size_t begin)
{
	size_t left = s->n - begin;
	unsigned fits = 0, cuts = 0;

	r.content.lists[TCM_POINTS] = (struct tcm_list){s->data + begin, left / 8};
	if (left % 8 == 0)
		consider(s, r, s->n, 0);
	for (size_t i = (left + 4) / 8; left % 4 == 0 && i-- > 0 && fits < TRIES_MAX;) {
		struct tcm_reading with = r;
		size_t at = begin + 8 * i;
		uint64_t missing;

		if (!fits_points(s, i))
			continue;
		with.content.lists[TCM_POINTS].n = i;
		if (take_list(s, &with, TCM_OBJECTS, &at, &missing)) {
			if (at < s->n)
				continue;
			fits++;
		} else if (missing == 0 || missing > MISSING_MAX || cuts++ >= TRIES_MAX) {
			continue;
		}
		consider(s, with, at, missing);
	}
	if (left % 8 != 0 && !fits) {
		r.wrong = "what follows the terrain, no whole number of points or objects,";
		r.size = r.left = left;
		consider(s, r, begin + left / 8 * 8, 0);
	}
}

static void try_variant(struct search *s, const struct tcm_variant *v, size_t at)
{
	struct tcm_reading r = {.content.variant = *v};
	uint64_t missing;

	if (!take_list(s, &r, TCM_TERRAIN, &at, &missing))
		consider(s, r, at, missing);
	else if (v->answers[TCM_SIZE] == TCM_NONE)
		try_without_size(s, r, at);
	else if (take_list(s, &r, TCM_POINTS, &at, &missing))
		try_rest(s, r, at);
	else
		consider(s, r, at, missing);
}

static bool demanded(const struct tcm_demand *d, const struct tcm_variant *v)
{
	for (int q = 0; q < TCM_QUESTIONS; q++)
		if (d->answers[q] >= 0 && d->answers[q] != v->answers[q])
			return false;
	return true;
}

int tcm_reading_find(const uint8_t *data, size_t n, size_t at, const char *tag,
	const struct tcm_demand *d, struct tcm_reading *ret, struct tcm_reading *ret_rival,
	struct error *e)
{
	static const struct tcm_reading none = {.cost = UINT64_MAX};
	struct search s = {.data = data,
		.n = n,
		.points = d->points ? strtoull(d->points, NULL, 10) : UINT64_MAX,
		.best = none,
		.rival = none,
		.wrong = none};
	struct tcm_variant v = {.tag = tag};
	char text[64];

	if (n - at < 4)
		return error_set(e, -EINVAL, "%s: %zu bytes are left (4)",
			tcm_kinds[TCM_TERRAIN].size, n - at);
	for (int i = 0; i < 12; i++) {
		v.answers[TCM_ENDIAN] = i % 2;
		v.answers[TCM_LISTS] = i / 2 % 2 ? TCM_COUNT : TCM_BYTES;
		v.answers[TCM_SIZE] = i / 4;
		if (demanded(d, &v))
			try_variant(&s, &v, at);
	}
	if (s.best.cost == UINT64_MAX && s.wrong.cost == UINT64_MAX)
		return error_set(e, -EINVAL,
			"it cannot be read with %s points (as the mount has it)", d->points);
	/* What is whole by chance is dear, and a file that was cut short is the likelier thing. */
	if (s.best.cost == UINT64_MAX || (s.wrong.cost < s.best.cost && !d->any)) {
		tcm_variant_describe(&s.wrong.content.variant, text);
		return error_set(e, -EINVAL,
			"cut short or damaged: read as %s, %s is %" PRIu64 " (%zu bytes are left)",
			text, s.wrong.wrong, s.wrong.size, s.wrong.left);
	}
	*ret = s.best;
	if (d->points)
		ret->content.variant.real = d->real;
	*ret_rival = s.rival.cost - s.best.cost <= NEAR_BITS ? s.rival : none;
	return 0;
}
