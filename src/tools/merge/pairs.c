/* SPDX-License-Identifier: Zlib */
#include "tools/merge/pairs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tools/merge/content.h"

enum {
	ALIKE = 300,         /* least similarity of a match, of 1000 */
	RENAMED = 700,       /* least similarity under another name */
	SURE = 850,          /* least similarity that is not ambiguous */
	OF_NAME = 300,       /* bonus for an equal name */
	OF_DIR = 500,        /* bonus for an equal directory */
	PAIRS_MAX = 1 << 20, /* with more candidates, join_alike does nothing */
};

void pairs_join(struct merge_item *a, struct merge_item *b, bool ambiguous)
{
	a->matches[b->side] = b;
	b->matches[a->side] = a;
	a->is_ambiguous |= ambiguous;
}

/* Compare directory and name, like strcmp. */
static int compare_item_names(const struct merge_item *a, const struct merge_item *b)
{
	int r = array_compare(a->parent->node->number, b->parent->node->number);

	if (r == 0)
		r = a->is_dir - b->is_dir;
	return r ? r : strcmp(a->bare, b->bare);
}

/* Compare directory, name and content. The order of digests differs from process to process, so
 * only equality matters. */
static int compare_all(const struct merge_item *a, const struct merge_item *b)
{
	int r = compare_item_names(a, b);

	if (r == 0)
		r = strcmp(a->ending, b->ending);
	if (r == 0)
		r = array_compare(a->digest.a, b->digest.a);
	return r ? r : array_compare(a->digest.b, b->digest.b);
}

/* Can the two match at all? */
static bool same_sort(const struct merge_item *a, const struct merge_item *b)
{
	return a->kind == b->kind && a->is_dir == b->is_dir && strcmp(a->ending, b->ending) == 0;
}

/* An object without a match. */
struct single {
	struct merge_item *is;
	size_t at; /* index in its list */
};

typedef int (*pairs_order)(const struct merge_item *a, const struct merge_item *b);

static int by_order(const void *a, const void *b, void *arg)
{
	const struct single *x = a, *y = b;
	int r = (*(const pairs_order *)arg)(x->is, y->is);

	if (r == 0)
		r = array_compare(x->is->side, y->is->side);
	return r ? r : array_compare(x->at, y->at);
}

/* Match equal objects in order. The choice is ambiguous only if their numbers differ. */
static void join_equal(const struct single *a, size_t n, const struct single *b, size_t m)
{
	for (size_t k = 0; k < n && k < m; k++)
		pairs_join(a[k].is, b[k].is, n != m);
}

/* Match the unmatched objects of one name, whatever they contain, if both lists have the same
 * number of them. A single one matches even if its form changed (an image was embedded). */
static void join_named(const struct single *a, size_t n, const struct single *b, size_t m)
{
	bool form = n == 1 && m == 1 && a->is->bare[0] && strcmp(a->is->ending, b->is->ending) != 0;

	for (size_t k = 0; n == m && k < n; k++)
		if (form || same_sort(a[k].is, b[k].is))
			pairs_join(a[k].is, b[k].is, n > 1 || a[k].is->drawn != b[k].is->drawn);
}

static bool is_free(const struct pairs *p, int side, size_t i)
{
	return !p->at[side][i]->matches[p->in[!side]];
}

/* Set has_namesake of unmatched objects whose name both lists have; b follows a in memory. */
static void mark_namesakes(const struct single *a, size_t n, const struct single *, size_t m)
{
	for (size_t k = 0; k < n + m; k++)
		a[k].is->has_namesake = n && m && a[k].is->bare[0];
}

/* Sort the unmatched objects, and call fn for each run of equal ones, which it gets by list. */
static int join_runs(const struct pairs *p, pairs_order order,
	void (*fn)(const struct single *a, size_t n, const struct single *b, size_t m))
{
	CLEANUP(free) struct single *all = calloc(p->n[0] + p->n[1] + 1, sizeof(*all));
	size_t count = 0;

	if (!all)
		return -ENOMEM;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->n[s]; i++)
			if (is_free(p, s, i))
				all[count++] = (struct single){p->at[s][i], i};
	qsort_r(all, count, sizeof(*all), by_order, &order);
	for (struct single *a = all, *end = all + count; a < end;) {
		size_t n = 0, m = 0;

		while (a + n < end && a[n].is->side == p->in[0] && order(a->is, a[n].is) == 0)
			n++;
		while (a + n + m < end && order(a->is, a[n + m].is) == 0)
			m++;
		fn(a, n, a + n, m);
		a += n + m;
	}
	return 0;
}

struct candidate {
	size_t at[2];
	unsigned alike, score;
	bool renamed; /* names differ, and one of the two has a namesake */
};

/* Least similarity for a match of two objects. Between ours and theirs, a changed object cannot be
 * told from another one, so directories need equal names and files must be equal. Between base and
 * a side, a file of another name must be equal, because other files refer to it. */
static unsigned least_alike(const struct merge_item *a, const struct merge_item *b)
{
	bool added = a->side == OURS, dir = a->parent->node == b->parent->node;
	bool same = strcmp(a->bare, b->bare) == 0;

	if ((added && (!same || !a->is_dir)) || (a->drawn != b->drawn && (added || !same)))
		return UINT_MAX;
	if (same && (a->bare[0] || (dir && !added)))
		return a->bare[0] || a->drawn == b->drawn ? ALIKE : SURE;
	return dir && a->is_dir ? RENAMED : 1000;
}

/* Set alike and renamed of a candidate, and return its score; 0 if the two cannot match. */
static unsigned score_candidate(const struct pairs *p, struct candidate *c)
{
	const struct merge_item *a = p->at[0][c->at[0]], *b = p->at[1][c->at[1]];
	bool name = strcmp(a->bare, b->bare) == 0;

	if (!same_sort(a, b) || strcmp(a->parent->name, b->parent->name) != 0)
		return 0;
	c->alike = content_similarity(a, b);
	if (c->alike < least_alike(a, b))
		return 0;
	c->renamed = !name && (a->has_namesake || b->has_namesake);
	return c->alike + (name ? OF_NAME : 0) + (a->parent->node == b->parent->node ? OF_DIR : 0);
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int r = array_compare(y->score, x->score);

	if (r == 0)
		r = x->renamed - y->renamed;
	if (r == 0)
		r = array_compare(x->at[0], y->at[0]);
	return r ? r : array_compare(x->at[1], y->at[1]);
}

/* Is another unmatched object about as similar to one of the two, with a name that fits as well? */
static bool has_rival(const struct pairs *p, const struct candidate *c)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->n[s]; i++) {
			struct candidate other = *c;

			other.at[s] = i;
			if (i != c->at[s] && is_free(p, s, i) && score_candidate(p, &other) &&
				other.alike > c->alike / 10 * 9 && other.renamed <= c->renamed)
				return true;
		}
	return false;
}

static bool is_ambiguous(const struct pairs *p, const struct candidate *c)
{
	const struct merge_item *a = p->at[0][c->at[0]], *b = p->at[1][c->at[1]];
	bool moved = a->parent->node != b->parent->node, renamed = strcmp(a->bare, b->bare) != 0;

	return (a->has_namesake && (moved || (renamed && c->alike < 1000))) ||
	       (renamed && c->alike < SURE) ||
	       ((moved || a->drawn != b->drawn) && c->alike < RENAMED) || has_rival(p, c);
}

static int join_alike(const struct pairs *p)
{
	CLEANUP(free) struct candidate *all = NULL;
	size_t left[2] = {0}, n = 0, room = 0;
	struct candidate c;

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->n[s]; i++)
			left[s] += is_free(p, s, i);
	if (!left[0] || left[1] > PAIRS_MAX / left[0])
		return 0;
	for (c.at[0] = 0; c.at[0] < p->n[0]; c.at[0]++)
		for (c.at[1] = 0; is_free(p, 0, c.at[0]) && c.at[1] < p->n[1]; c.at[1]++) {
			c.score = is_free(p, 1, c.at[1]) ? score_candidate(p, &c) : 0;
			if (c.score && !array_reserve(all, n, room))
				return -ENOMEM;
			if (c.score)
				all[n++] = c;
		}
	if (n)
		qsort(all, n, sizeof(*all), by_score);
	for (size_t k = 0; k < n; k++) {
		struct merge_item *a = p->at[0][all[k].at[0]], *b = p->at[1][all[k].at[1]];
		bool free = !a->matches[b->side] && !b->matches[a->side],
		     ambiguous = free && is_ambiguous(p, &all[k]);

		if (free && (!ambiguous || a->side == BASE))
			pairs_join(a, b, ambiguous);
	}
	return 0;
}

int pairs_find_equal(const struct pairs *p)
{
	return join_runs(p, compare_all, join_equal);
}

int pairs_find(const struct pairs *p)
{
	int r = pairs_find_equal(p);

	if (r == 0)
		r = join_runs(p, compare_item_names, mark_namesakes);
	if (r == 0)
		r = join_alike(p);
	return r < 0 || p->in[0] == OURS ? r : join_runs(p, compare_item_names, join_named);
}
