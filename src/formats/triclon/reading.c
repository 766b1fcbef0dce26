/* SPDX-License-Identifier: Zlib */
#include "formats/triclon/reading.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The readings in their order: first those that fit by chance less often. After the points, what is
 * left of the file is an objects list. */
static const int readings[][TCM_QUESTIONS] = {{TCM_LITTLE, TCM_BYTES, TCM_COUNT},
	{TCM_LITTLE, TCM_COUNT, TCM_COUNT}, {TCM_BIG, TCM_BYTES, TCM_COUNT},
	{TCM_BIG, TCM_COUNT, TCM_COUNT}, {TCM_LITTLE, TCM_BYTES, TCM_BYTES},
	{TCM_LITTLE, TCM_COUNT, TCM_BYTES}, {TCM_BIG, TCM_BYTES, TCM_BYTES},
	{TCM_BIG, TCM_COUNT, TCM_BYTES}, {TCM_LITTLE, TCM_BYTES, TCM_NONE},
	{TCM_LITTLE, TCM_COUNT, TCM_NONE}, {TCM_BIG, TCM_BYTES, TCM_NONE},
	{TCM_BIG, TCM_COUNT, TCM_NONE}};

struct reading {
	const struct bytes *file;
	const struct tcm_demand *demand;
	struct tcm_content content;
	size_t end;       /* offset behind the last list */
	size_t n_ordered; /* number of leading points that are plausible */
};

/* Read the next list. On failure it has those of its records that the file has. */
static int read_list(struct reading *r, enum tcm_file list, struct error *e)
{
	const struct tcm_kind *kind = &tcm_kinds[list];
	int unit = r->content.variant.answers[kind->unit];
	size_t width = 2 * kind->width, left = r->file->size - r->end, size = left, n, most;

	if (unit != TCM_NONE && left < 4)
		return error_set(e, -EINVAL, "%s: %zu bytes remain (at least 4)", kind->size, left);
	if (unit != TCM_NONE) {
		size = tcm_load(r->file->data + r->end, 4, &r->content.variant);
		r->end += 4;
		left -= 4;
	}
	n = unit == TCM_COUNT ? size : size / width;
	most = left / width;
	r->content.lists[list] = (struct tcm_list){r->file->data + r->end, n < most ? n : most};
	r->end += width * r->content.lists[list].n;
	if (n <= most && (unit != TCM_BYTES || size % width == 0) &&
		(list != TCM_OBJECTS || r->end == r->file->size))
		return 0;
	return error_set(e, -EINVAL, "%s is %zu (%zu bytes remain)", kind->size, size, left);
}

/* Numbers in the wrong byte order or of the wrong type are far too large or far too small. */
static bool is_coordinate(double v)
{
	return v == 0 || (fabs(v) >= 1e-3 && fabs(v) < 1 << 20);
}

/* Number of leading points with plausible coordinates and with x that does not decrease. */
static size_t count_ordered(struct tcm_content c, bool real)
{
	double x, last = -INFINITY;
	size_t i;

	c.variant.real = real;
	for (i = 0; i < c.lists[TCM_POINTS].n; i++, last = x) {
		x = tcm_value(&c, TCM_POINTS, 0, i);
		if (!is_coordinate(x) || !is_coordinate(tcm_value(&c, TCM_POINTS, 1, i)) ||
			x < last)
			break;
	}
	return i;
}

/* Are all points plausible, and all objects between the first and the last of them? */
static bool is_plausible(const struct reading *r)
{
	const struct tcm_content *c = &r->content;
	size_t n = c->lists[TCM_POINTS].n;

	if (r->n_ordered < n)
		return false;
	for (size_t i = 0; i < c->lists[TCM_OBJECTS].n; i++) {
		double x = tcm_value(c, TCM_OBJECTS, 0, i);

		if (!n || !(x >= tcm_value(c, TCM_POINTS, 0, 0)) ||
			!(x <= tcm_value(c, TCM_POINTS, 0, n - 1)))
			return false;
	}
	return true;
}

/* Would one more point, with the size of the objects list as x, more than double the width? */
static bool is_apart(const struct tcm_content *c)
{
	size_t n = c->lists[TCM_POINTS].n;

	return n && tcm_value(c, TCM_POINTS, 0, n) >
			    2 * tcm_value(c, TCM_POINTS, 0, n - 1) - tcm_value(c, TCM_POINTS, 0, 0);
}

/* Find the end of points without a size: an objects list takes the rest of the file. Take the last
 * plausible end, or an earlier one if is_apart. At most two are plausible: the size of the list at
 * one end is x of a point before the next end. Sizes decrease from end to end, x does not. */
static int divide_points(struct reading *r, struct error *e)
{
	struct tcm_list *points = &r->content.lists[TCM_POINTS];
	bool is_found = false, is_better;
	const struct tcm_demand *d = r->demand;
	struct reading best = *r;

	for (size_t n = points->n + 1; n-- > 0;) {
		if (d->is_exact && n != d->n_points)
			continue;
		points->n = n;
		r->end = (size_t)(points->data - r->file->data) + 8 * n;
		if (read_list(r, TCM_OBJECTS, NULL) < 0)
			continue;
		is_better = is_plausible(r) && (!is_found || is_apart(&r->content));
		if (is_better || !is_found)
			best = *r;
		is_found |= is_better;
	}
	*r = best;
	return r->end == r->file->size ? 0 : read_list(r, TCM_OBJECTS, e);
}

static int read_lists(struct reading *r, struct error *e)
{
	bool is_sized = r->content.variant.answers[TCM_SIZE] != TCM_NONE;
	int q = read_list(r, TCM_TERRAIN, e);
	size_t n_floats;

	if (q == 0)
		q = read_list(r, TCM_POINTS, e);
	n_floats = count_ordered(r->content, true);
	r->n_ordered = count_ordered(r->content, false);
	r->content.variant.real = n_floats > r->n_ordered;
	if (n_floats > r->n_ordered)
		r->n_ordered = n_floats;
	if (q < 0 || r->end == r->file->size)
		return q;
	return is_sized ? read_list(r, TCM_OBJECTS, e) : divide_points(r, e);
}

/* From the worst to the best. CUT_SHORT: the file ends too early, but is plausible so far. Floats
 * are worse than integers, because integers in the other byte order can look like them. */
enum rank { NONE, MISFIT, FIT, CUT_SHORT, PLAUSIBLE_FLOATS, PLAUSIBLE };

static enum rank rank_reading(const struct reading *r, bool fits)
{
	const struct tcm_variant *v = &r->content.variant;
	size_t n = r->content.lists[TCM_POINTS].n, record;

	if (!is_plausible(r))
		return fits ? FIT : MISFIT;
	if (!fits) /* Fewer points can be in order by chance. */
		return n >= 4 && r->file->size - r->end < 8 && !r->demand->is_forced ? CUT_SHORT
										     : MISFIT;
	/* A size of zero points is more likely an empty objects list, or a point. */
	if (tcm_max_index(&r->content, &record) >= (int64_t)n || (!n && v->answers[TCM_SIZE]))
		return FIT;
	return v->real ? PLAUSIBLE_FLOATS : PLAUSIBLE;
}

int tcm_reading_find(const struct bytes *file, const struct tcm_demand *d, struct tcm_content *c,
	struct error *e)
{
	struct error why = ERROR_INIT, reason = ERROR_INIT;
	enum rank rank, best_rank = NONE;
	struct tcm_content best = {0};
	char text[64];

	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		struct reading r = {file, d, *c, .end = TCM_TAG_SIZE + c->lists[TCM_INFO].n};
		int *answers = r.content.variant.answers;

		memcpy(answers, readings[i], sizeof(readings[i]));
		answers[TCM_ENDIAN] ^= c->variant.tag[0] == '3'; /* "3MCT" is big-endian */
		for (int q = 0; q < TCM_QUESTIONS; q++)
			answers[q] = d->answers[q] < 0 ? answers[q] : d->answers[q];
		rank = rank_reading(&r, read_lists(&r, &why) == 0);
		if (rank > best_rank) {
			best_rank = rank;
			best = r.content;
			reason = why;
		}
	}
	tcm_variant_describe(&best.variant, text);
	if (best_rank == MISFIT || best_rank == CUT_SHORT)
		return error_set(
			e, -EINVAL, "cut short or damaged: read as %s, %s", text, reason.text);
	*c = best;
	if (d->is_exact)
		c->variant.real = d->real;
	return 0;
}
