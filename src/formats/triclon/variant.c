/* SPDX-License-Identifier: Zlib */
#include "formats/triclon/variant.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/triclon/cost.h"

const char *const tcm_endian_words[] = {"little", "big", NULL};
const char *const tcm_size_words[] = {
	[TCM_NONE] = "none", [TCM_BYTES] = "bytes", [TCM_COUNT] = "count", NULL};

enum {
	NEAR_BITS = 8,     /* a rival that is no worse than this is told */
	COST_SHORT = 24,   /* of a file that ends too early, against one that is whole */
	MISSING_MAX = 256, /* objects; a larger number is rather a coordinate */
	TRIES_MAX = 64,    /* ends of the points that are tried, so that a made-up file ends soon */
};

static int demand_one(const char *const *options, const char *key, const char *const *words,
	int min, int *ret, struct error *e)
{
	const char *value = format_option(options, key);

	*ret = -1;
	if (!value)
		return 0;
	for (int i = min; words[i]; i++) {
		if (strcmp(value, words[i]) == 0) {
			*ret = i;
			return 0;
		}
	}
	return error_set(e, -EINVAL, "option %s has no value \"%s\"", key, value);
}

int tcm_demand_read(const char *const *options, struct tcm_demand *ret, struct error *e)
{
	static const char *const endian[] = {"little", "big", "le", "be", NULL};
	int r = demand_one(options, "endian", endian, 0, &ret->endian, e);

	if (ret->endian > 1)
		ret->endian -= 2;
	if (r == 0)
		r = demand_one(options, "lists", tcm_size_words, TCM_BYTES, &ret->lists, e);
	if (r == 0)
		r = demand_one(options, "points", tcm_size_words, TCM_NONE, &ret->points, e);
	return r;
}

bool tcm_demand_any(const struct tcm_demand *d)
{
	return d->endian >= 0 || d->lists >= 0 || d->points >= 0;
}

void tcm_variant_options(const struct tcm_variant *v, char *text, size_t room)
{
	snprintf(text, room, "endian=%s,lists=%s,points=%s", tcm_endian_words[v->big],
		tcm_size_words[v->lists], tcm_size_words[v->points]);
}

void tcm_reading_describe(const struct tcm_reading *r, char *text, size_t room)
{
	const struct tcm_variant *v = &r->variant;
	const char *size = v->points == TCM_NONE    ? "no size"
			   : v->points == TCM_BYTES ? "a size in bytes"
						    : "a count";

	snprintf(text, room,
		"%s-endian, sizes of lists %s, %s before the points, %s objects list%s",
		tcm_endian_words[v->big], v->lists == TCM_BYTES ? "in bytes" : "in records", size,
		r->has_objects ? "an" : "no", v->real ? ", coordinates as floats" : "");
}

/* What is searched, and found so far. */
struct search {
	const uint8_t *data;
	size_t n;
	struct tcm_reading best, rival;
	bool any, second;
	uint64_t short_cost; /* of the best reading that does not come out at the end */
	struct error why;    /* of that one */
};

static void keep(struct search *s, const struct tcm_reading *r)
{
	if (!s->any || r->cost < s->best.cost) {
		s->rival = s->best;
		s->second = s->any;
		s->best = *r;
		s->any = true;
	} else if (!s->second || r->cost < s->rival.cost) {
		s->rival = *r;
		s->second = true;
	}
}

static void consider(struct search *s, struct tcm_reading r)
{
	r.variant.real = false;
	r.cost = tcm_reading_cost(&r, s->data);
	if (tcm_reading_is_real(&r, s->data)) {
		struct tcm_reading real = r;

		real.variant.real = true;
		real.cost = tcm_reading_cost(&real, s->data);
		/* Of one reading there is one form; it is no rival of itself. */
		if (real.cost < r.cost)
			r = real;
	}
	keep(s, &r);
}

/* How many records of `width` a stored size means; false: no whole number of them. */
static bool records(enum tcm_size how, uint32_t stored, unsigned width, size_t *ret)
{
	*ret = how == TCM_BYTES ? stored / width : stored;
	return how == TCM_COUNT || stored % width == 0;
}

/*
 * r does not come out at the end: it has the records that are there, and then `stored` is wrong for
 * the `left` bytes, of which `unread` belong to no record. If that makes more sense than any
 * reading that does come out, then that one does by chance, and the file is cut short.
 */
static void falls_short(struct search *s, const struct tcm_reading *r, const char *what,
	uint64_t stored, uint64_t missing, size_t left, size_t unread)
{
	uint64_t cost = tcm_reading_cost(r, s->data) + COST_SHORT + tcm_bits(missing);

	if (unread >= 8)
		cost += 8 * unread;
	else if (unread >= 4) /* half a record */
		cost += tcm_bits(tcm_load(s->data + s->n - unread, 4, r->variant.big));
	if (cost >= s->short_cost)
		return;
	s->short_cost = cost;
	error_set(&s->why, -EINVAL,
		"cut short or damaged: read as %s-endian, %s is %" PRIu64 " (%zu bytes are left)",
		tcm_endian_words[r->variant.big], what, stored, left);
}

/* An objects list at `at`, the end of the points: does it take all the rest? */
static bool objects_at(struct search *s, struct tcm_reading *r, size_t at, unsigned *cuts)
{
	uint32_t stored = tcm_load(s->data + at, 4, r->variant.big);
	size_t left = s->n - at - 4, missing;

	r->objects = at + 4;
	r->has_objects = records(r->variant.lists, stored, 8, &r->n_objects);
	if (!r->has_objects) {
		r->n_objects = 0;
		return false;
	}
	if (r->n_objects <= left / 8)
		return 8 * r->n_objects == left;
	missing = r->n_objects - left / 8;
	r->n_objects = left / 8;
	if (missing <= MISSING_MAX && (*cuts)++ < TRIES_MAX)
		falls_short(s, r, "the size of the objects list", stored, missing, left, left % 8);
	return false;
}

/* No size before the points: they go on to the end, or to an objects list that takes the rest. */
static void try_without_size(struct search *s, struct tcm_reading r)
{
	size_t left = s->n - r.points;
	unsigned fits = 0, cuts = 0;

	if (left % 8 == 0) {
		r.n_points = left / 8;
		consider(s, r);
	}
	for (size_t i = (left + 4) / 8; left % 4 == 0 && i-- > 0 && fits < TRIES_MAX;) {
		r.n_points = i;
		if (!objects_at(s, &r, r.points + 8 * i, &cuts))
			continue;
		fits++;
		consider(s, r);
	}
	r.has_objects = false;
	r.n_points = left / 8;
	if (left % 8 != 0 && !fits)
		falls_short(s, &r,
			"what follows the terrain, no whole number of points or objects,", left, 0,
			left, left % 8);
}

static void try_with_size(struct search *s, struct tcm_reading r)
{
	size_t left = s->n - r.points, end, missing;
	uint32_t stored;
	unsigned cuts = 0;

	if (left < 4)
		return;
	stored = tcm_load(s->data + r.points, 4, r.variant.big);
	r.points += 4;
	left -= 4;
	if (!records(r.variant.points, stored, 8, &r.n_points) || r.n_points > left / 8) {
		missing = r.n_points > left / 8 ? r.n_points - left / 8 : left / 8 - r.n_points;
		r.n_points = left / 8;
		falls_short(s, &r, "the size of the points", stored, missing, left, left % 8);
		return;
	}
	end = r.points + 8 * r.n_points;
	if (end == s->n || (s->n - end >= 4 && objects_at(s, &r, end, &cuts)))
		consider(s, r);
	else
		falls_short(s, &r, "what follows the points, no whole number of objects,",
			s->n - end, 0, s->n - end, s->n - end - 8 * r.n_objects);
}

static void try_lists(struct search *s, struct tcm_reading r, const struct tcm_demand *d)
{
	uint32_t stored = tcm_load(s->data + r.terrain, 4, r.variant.big);
	size_t left = s->n - r.terrain - 4, missing;

	r.terrain += 4;
	if (!records(r.variant.lists, stored, 4, &r.n_terrain) || r.n_terrain > left / 4) {
		missing = r.n_terrain > left / 4 ? r.n_terrain - left / 4 : 0;
		r.n_terrain = left / 4;
		r.points = s->n;
		falls_short(s, &r, "the size of the terrain list", stored, missing, left, left % 4);
		return;
	}
	r.points = r.terrain + 4 * r.n_terrain;
	for (int points = TCM_NONE; points <= TCM_COUNT; points++) {
		if (d->points >= 0 && d->points != points)
			continue;
		r.variant.points = (enum tcm_size)points;
		if (points == TCM_NONE)
			try_without_size(s, r);
		else
			try_with_size(s, r);
	}
}

int tcm_reading_find(const uint8_t *data, size_t n, size_t at, const struct tcm_demand *d,
	struct tcm_reading *ret, struct tcm_reading *ret_rival, struct error *e)
{
	struct search s = {.data = data, .n = n, .short_cost = UINT64_MAX};
	struct tcm_reading r = {.terrain = at};

	if (n < at || n - at < 4)
		return error_set(e, -EINVAL, "the size of the terrain list: %zu bytes are left (4)",
			n < at ? 0 : n - at);
	memcpy(r.variant.tag, data, sizeof(r.variant.tag));
	for (int i = 0; i < 4; i++) {
		r.variant.big = i & 1;
		r.variant.lists = i & 2 ? TCM_COUNT : TCM_BYTES;
		if ((d->endian < 0 || d->endian == (int)r.variant.big) &&
			(d->lists < 0 || d->lists == (int)r.variant.lists))
			try_lists(&s, r, d);
	}
	if (!s.any || (s.short_cost < s.best.cost && !tcm_demand_any(d))) {
		if (e)
			*e = s.why;
		return s.why.code;
	}
	*ret = s.best;
	*ret_rival = s.rival;
	if (!s.second || s.rival.cost > s.best.cost + NEAR_BITS)
		*ret_rival = (struct tcm_reading){0};
	return 0;
}

struct tcm_list *tcm_reading_list(
	const struct tcm_reading *r, enum tcm_table table, const uint8_t *data)
{
	const size_t at[] = {r->terrain, r->points, r->objects};
	const size_t counts[] = {r->n_terrain, r->n_points, r->n_objects};
	unsigned width = table == TCM_TERRAIN ? 2 : 4;
	CLEANUP(free) struct tcm_record *all = calloc(counts[table] + 1, sizeof(*all));
	const uint8_t *p = data + at[table];

	for (size_t i = 0; all && i < counts[table]; i++)
		for (int k = 0; k < 2; k++, p += width)
			all[i].v[k] = tcm_load(p, width, r->variant.big);
	return all ? tcm_list_new(table, r->variant.real, all, counts[table]) : NULL;
}
