/* SPDX-License-Identifier: Zlib */
#include "cli/merging/pairs_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/merging/content.h"

/* Those that are left of one list. before: the last place of a that comes earlier and has a pair,
 * or of what the one of b is paired with. */
struct rest {
	size_t n;
	struct one {
		size_t at, before;
		const struct item *item;
		bool is_b;
		bool as_many; /* of its name there are as many on both sides, between the same
				 neighbours */
	} * one;
};

static bool rest_find(
	struct item *const *list, const size_t *of, size_t n, bool is_b, struct rest *ret)
{
	size_t before = PAIRS_NONE;

	*ret = (struct rest){0, calloc(n + 1, sizeof(struct one))};
	for (size_t i = 0; ret->one && i < n; i++) {
		if (of[i] == PAIRS_NONE)
			ret->one[ret->n++] = (struct one){i, before, list[i], is_b, false};
		else if (of[i] != PAIRS_ELSEWHERE)
			before = is_b ? of[i] : i;
	}
	return ret->one;
}

struct match {
	struct pairs *p;
	bool unlike; /* nothing better is to come: less says that they are one */
	struct rest a, b;
	unsigned *alike; /* of each pair of them: 0 to 1000, and NEAR more for neighbours */
	unsigned *best;  /* the most that those from here on can have, (a.n + 1) * (b.n + 1) */
};

static int by_neighbour(const void *a, const void *b)
{
	const struct one *x = *(struct one *const *)a, *y = *(struct one *const *)b;

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return pairs_by_name(x->item, y->item);
}

static int find_as_many(struct match *x)
{
	size_t n = x->a.n + x->b.n;
	CLEANUP(free) struct one **all = calloc(n + 1, sizeof(struct one *));

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		all[i] = i < x->a.n ? &x->a.one[i] : &x->b.one[i - x->a.n];
	qsort(all, n, sizeof(struct one *), by_neighbour);
	for (size_t from = 0, to; from < n; from = to) {
		size_t in_b = 0;

		for (to = from; to < n && by_neighbour(&all[from], &all[to]) == 0; to++)
			in_b += all[to]->is_b;
		for (size_t i = from; i < to; i++)
			all[i]->as_many = in_b * 2 == to - from;
	}
	return 0;
}

static unsigned weigh(const struct match *x, const struct one *a, const struct one *b)
{
	const struct item *i = a->item, *j = b->item;
	bool near = a->before == b->before;
	unsigned alike;

	if (!pairs_same_sort(i, j))
		return 0;
	alike = content_alike(i, j);
	if (!pairs_same_name(i, j))
		/* What files name would be taken for another one by all of them. */
		return alike >= (x->unlike && i->dir ? ALIKE : RENAMED) ? alike : 0;
	if (alike < ALIKE && !(x->unlike && near && a->as_many))
		return 0;
	return 1 + alike + (near ? NEAR : 0);
}

static void fill(struct match *x)
{
	size_t n = x->a.n, m = x->b.n;

	for (size_t i = n; i-- > 0;)
		for (size_t j = m; j-- > 0;) {
			unsigned w = weigh(x, &x->a.one[i], &x->b.one[j]);
			unsigned *best = &x->best[i * (m + 1) + j];
			unsigned skip_a = best[m + 1], skip_b = best[1], both = w + best[m + 2];

			x->alike[i * m + j] = w;
			*best = skip_a > skip_b ? skip_a : skip_b;
			if (w && both > *best)
				*best = both;
		}
}

/* Without what neighbours add. */
static unsigned alone(const struct match *x, size_t i, size_t j)
{
	unsigned w = x->alike[i * x->b.n + j];

	return w > NEAR && x->a.one[i].before == x->b.one[j].before ? w - NEAR : w;
}

/* Is another one of b better for i than j, or another one of a for j? */
static bool misplaced(const struct match *x, size_t i, size_t j)
{
	unsigned is = alone(x, i, j);

	for (size_t k = 0; k < x->b.n; k++)
		if (alone(x, i, k) > is)
			return true;
	for (size_t k = 0; k < x->a.n; k++)
		if (alone(x, k, j) > is)
			return true;
	return false;
}

/* Is another one of b as good for i as j, or another one of a for j? Between the same neighbours
 * their order says which is which, unless they are more alike in another order. */
static bool doubtful(const struct match *x, size_t i, size_t j)
{
	size_t m = x->b.n, found = 0;
	unsigned least = x->alike[i * m + j] / 10 * 9;

	if (x->a.one[i].as_many && x->a.one[i].before == x->b.one[j].before)
		return misplaced(x, i, j);
	for (size_t k = 0; k < m; k++)
		found += x->alike[i * m + k] > least;
	for (size_t k = 0; k < x->a.n; k++)
		found += x->alike[k * m + j] > least;
	return found > 2;
}

static void join_alike(struct match *x, size_t i, size_t j)
{
	size_t a = x->a.one[i].at, b = x->b.one[j].at;
	bool renamed = !pairs_same_name(x->p->a[a], x->p->b[b]);

	pairs_join(x->p, a, b, doubtful(x, i, j) || (renamed && x->alike[i * x->b.n + j] < SURE));
}

static void take(struct match *x)
{
	size_t i = 0, j = 0, m = x->b.n;

	while (i < x->a.n && j < m) {
		const unsigned *best = &x->best[i * (m + 1) + j];
		unsigned w = x->alike[i * m + j];

		if (w && *best == w + best[m + 2]) {
			join_alike(x, i, j);
			i++;
			j++;
		} else if (*best == best[m + 1]) {
			i++;
		} else {
			j++;
		}
	}
}

int pairs_in_order(struct pairs *p, bool unlike)
{
	struct match x = {.p = p, .unlike = unlike};
	size_t n, m;
	int r = -ENOMEM;

	if (!rest_find(p->a, p->of_a, p->n_a, false, &x.a) ||
		!rest_find(p->b, p->of_b, p->n_b, true, &x.b))
		goto out;
	r = 0;
	/* More would take too long: none of them is the same then. */
	n = x.a.n;
	m = x.b.n;
	if (!n || !m || n > PAIRS_MAX / m)
		goto out;
	x.alike = calloc(n * m, sizeof(*x.alike));
	x.best = calloc((n + 1) * (m + 1), sizeof(*x.best));
	if (!x.alike || !x.best) {
		r = -ENOMEM;
		goto out;
	}
	r = find_as_many(&x);
	if (r < 0)
		goto out;
	fill(&x);
	take(&x);
out:
	free(x.a.one);
	free(x.b.one);
	free(x.alike);
	free(x.best);
	return r;
}
