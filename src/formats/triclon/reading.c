/* SPDX-License-Identifier: Zlib */
#include "formats/triclon/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	r.cost = tcm_cost(&r.content);
	if (r.wrong)
		r.cost += COST_SHORT + tcm_bits(missing);
	if (unread >= 8)
		r.cost += 8 * unread;
	else if (unread >= 4) /* half a record */
		r.cost += tcm_bits(tcm_load(s->data + read, 4, &r.content.variant));
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
