/* SPDX-License-Identifier: Zlib */
#include "cli/merging/pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "cli/merging/content.h"

enum {
	ALIKE = 300,         /* of 1000: what is more alike is the same */
	RENAMED = 700,       /* ... under another name */
	SURE = 850,          /* ... without a doubt */
	OF_NAME = 300,       /* so much more alike is what has the same name */
	OF_DIR = 500,        /* ... and directory */
	PAIRS_MAX = 1 << 20, /* beyond that only what is equal, or has the same name, is found */
	BRIEF = 6,           /* lines: so few are the same in what has nothing in common */
};

static int begin(struct pairs *p)
{
	p->of_a = malloc((p->n_a + 1) * sizeof(*p->of_a));
	p->of_b = malloc((p->n_b + 1) * sizeof(*p->of_b));
	p->doubt = calloc(p->n_a + 1, sizeof(*p->doubt));
	if (!p->of_a || !p->of_b || !p->doubt)
		return -ENOMEM;
	memset(p->of_a, 0xff, p->n_a * sizeof(*p->of_a));
	memset(p->of_b, 0xff, p->n_b * sizeof(*p->of_b));
	return 0;
}

void pairs_finish(struct pairs *p)
{
	free(p->a);
	free(p->b);
	free(p->of_a);
	free(p->of_b);
	free(p->doubt);
}

static void join(struct pairs *p, size_t i, size_t j, bool doubt)
{
	p->of_a[i] = j;
	p->of_b[j] = i;
	p->doubt[i] = doubt;
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* As strcmp; 0: they have one name, in one directory. */
static int by_name(const struct item *a, const struct item *b)
{
	int r = by_number(a->up->of->number, b->up->of->number);

	if (r == 0)
		r = a->dir - b->dir;
	return r ? r : strcmp(a->bare, b->bare);
}

/* ... and one content. Any order will do, as that of a digest is another one in each process. */
static int by_all(const struct item *a, const struct item *b)
{
	int r = by_name(a, b);

	if (r == 0)
		r = strcmp(a->ending, b->ending);
	if (r == 0)
		r = by_number(a->digest.a, b->digest.a);
	return r ? r : by_number(a->digest.b, b->digest.b);
}

/* The parts of a directory are those that its kind has. */
static bool same_parts(const struct item *a, const struct item *b)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a->n && a->below[i]->object)
			i++;
		while (j < b->n && b->below[j]->object)
			j++;
		if (i == a->n || j == b->n)
			return i == a->n && j == b->n;
		if (strcmp(a->below[i++]->name, b->below[j++]->name) != 0)
			return false;
	}
}

static bool same_kind(const struct item *a, const struct item *b)
{
	return a->dir == b->dir && a->sort == b->sort;
}

/* Can one be the other? */
static bool same_sort(const struct item *a, const struct item *b)
{
	return same_kind(a, b) && (a->dir ? same_parts(a, b) : strcmp(a->ending, b->ending) == 0);
}

/* One that has no other one yet. */
struct single {
	struct item *is;
	size_t at; /* in its list */
	bool of_b;
};

typedef int (*pairs_order)(const struct item *a, const struct item *b);

static int by_order(const void *a, const void *b, void *arg)
{
	const struct single *x = a, *y = b;
	int r = (*(const pairs_order *)arg)(x->is, y->is);

	if (r == 0)
		r = x->of_b - y->of_b;
	return r ? r : by_number(x->at, y->at);
}

static void add_singles(struct item *const *list, const size_t *of, size_t n, bool of_b,
	struct single *to, size_t *ret_n)
{
	for (size_t i = 0; i < n; i++)
		if (of[i] == PAIRS_NONE)
			to[(*ret_n)++] = (struct single){list[i], i, of_b};
}

/* Of several that are equal the first is the first: which it is can matter only where one of them
 * went, or came, or the other side changed one. */
static void join_equal(
	struct pairs *p, const struct single *a, size_t n, const struct single *b, size_t m)
{
	for (size_t k = 0; k < n && k < m; k++)
		join(p, a[k].at, b[k].at, n != m);
}

/* What is left of one name is the same, whatever it holds, if there are as many. */
static void join_named(
	struct pairs *p, const struct single *a, size_t n, const struct single *b, size_t m)
{
	for (size_t k = 0; n == m && k < n; k++)
		if (n == 1 && a[k].is->bare[0] ? same_kind(a[k].is, b[k].is)
					       : same_sort(a[k].is, b[k].is))
			join(p, a[k].at, b[k].at, n > 1);
}

static bool is_brief(const struct item *i)
{
	return !i->dir && strcmp(i->ending, ".json") == 0 && i->n_sketch <= BRIEF;
}

/* What says no more than the size of a picture that is elsewhere is what its name says. */
static void join_brief(
	struct pairs *p, const struct single *a, size_t n, const struct single *b, size_t m)
{
	if (n == 1 && m == 1 && a->is->bare[0] && is_brief(a->is) && is_brief(b->is) &&
		same_sort(a->is, b->is))
		join(p, a->at, b->at, false);
}

/* Calls fn with those that are equal in this order, as they stand in both lists. */
static int join_runs(struct pairs *p, pairs_order order,
	void (*fn)(struct pairs *p, const struct single *a, size_t n, const struct single *b,
		size_t m))
{
	CLEANUP(free) struct single *all = calloc(p->n_a + p->n_b + 1, sizeof(*all));
	size_t count = 0;

	if (!all)
		return -ENOMEM;
	add_singles(p->a, p->of_a, p->n_a, false, all, &count);
	add_singles(p->b, p->of_b, p->n_b, true, all, &count);
	qsort_r(all, count, sizeof(*all), by_order, &order);
	for (struct single *a = all, *end = all + count; a < end;) {
		size_t n = 0, m = 0;

		while (a + n < end && !a[n].of_b && order(a->is, a[n].is) == 0)
			n++;
		while (a + n + m < end && order(a->is, a[n + m].is) == 0)
			m++;
		fn(p, a, n, a + n, m);
		a += n + m;
	}
	return 0;
}

struct candidate {
	size_t a, b;
	unsigned alike, score;
};

/* How much speaks for it that they are the same, and how alike they are; 0: they are not. */
static unsigned score(
	const struct item *a, const struct item *b, unsigned renamed, unsigned *ret_alike)
{
	bool dir = a->up->of == b->up->of, name = strcmp(a->bare, b->bare) == 0;
	unsigned least = name && (dir || a->bare[0]) ? ALIKE : dir ? renamed : 1000;

	if (!same_sort(a, b) || strcmp(a->up->name, b->up->name) != 0)
		return 0;
	*ret_alike = content_alike(a, b);
	return *ret_alike < least ? 0 : *ret_alike + (name ? OF_NAME : 0) + (dir ? OF_DIR : 0);
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int r = by_number(y->score, x->score);

	if (r == 0)
		r = by_number(x->a, y->a);
	return r ? r : by_number(x->b, y->b);
}

/* Is one that is free about as good in the place of one of the two? */
static bool has_rival(const struct pairs *p, const struct candidate *c, unsigned renamed)
{
	unsigned alike;

	for (size_t j = 0; j < p->n_b; j++)
		if (j != c->b && p->of_b[j] == PAIRS_NONE &&
			score(p->a[c->a], p->b[j], renamed, &alike) && alike > c->alike / 10 * 9)
			return true;
	for (size_t i = 0; i < p->n_a; i++)
		if (i != c->a && p->of_a[i] == PAIRS_NONE &&
			score(p->a[i], p->b[c->b], renamed, &alike) && alike > c->alike / 10 * 9)
			return true;
	return false;
}

/* Does another one have its name where it was, that is new or changed? */
static bool has_namesake(const struct pairs *p, const struct candidate *c)
{
	const struct item *a = p->a[c->a];

	for (size_t j = 0; j < p->n_b; j++)
		if (j != c->b && by_name(a, p->b[j]) == 0 && a->bare[0] &&
			(p->of_b[j] == PAIRS_NONE || by_all(p->a[p->of_b[j]], p->b[j]) != 0))
			return true;
	return false;
}

static bool doubtful(const struct pairs *p, const struct candidate *c, unsigned renamed)
{
	const struct item *a = p->a[c->a], *b = p->b[c->b];

	if (strcmp(a->bare, b->bare) != 0 &&
		(c->alike < SURE || (c->alike < 1000 && has_namesake(p, c))))
		return true;
	if (a->up->of != b->up->of && (c->alike < RENAMED || has_namesake(p, c)))
		return true;
	return has_rival(p, c, renamed);
}

static size_t count_left(const size_t *of, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		left += of[i] == PAIRS_NONE;
	return left;
}

/* The best first. renamed: how alike those of another name have to be, if they are directories;
 * what files name would be taken for another one by all of them. */
static int join_alike(struct pairs *p, unsigned renamed)
{
	size_t left = count_left(p->of_a, p->n_a), n = 0, room = 0;
	CLEANUP(free) struct candidate *all = NULL;
	struct candidate c;

	if (!left || count_left(p->of_b, p->n_b) > PAIRS_MAX / left)
		return 0;
	for (c.a = 0; c.a < p->n_a; c.a++)
		for (c.b = 0; p->of_a[c.a] == PAIRS_NONE && c.b < p->n_b; c.b++) {
			unsigned least = p->a[c.a]->dir ? renamed : RENAMED;

			c.score = p->of_b[c.b] == PAIRS_NONE
					  ? score(p->a[c.a], p->b[c.b], least, &c.alike)
					  : 0;
			if (c.score && !array_room(all, n, room))
				return -ENOMEM;
			if (c.score)
				all[n++] = c;
		}
	if (n)
		qsort(all, n, sizeof(*all), by_score);
	for (size_t k = 0; k < n; k++)
		if (p->of_a[all[k].a] == PAIRS_NONE && p->of_b[all[k].b] == PAIRS_NONE)
			join(p, all[k].a, all[k].b,
				doubtful(p, &all[k], p->a[all[k].a]->dir ? renamed : RENAMED));
	return 0;
}

int pairs_find_equal(struct pairs *p)
{
	int r = begin(p);

	return r < 0 ? r : join_runs(p, by_all, join_equal);
}

int pairs_find(struct pairs *p)
{
	int r = pairs_find_equal(p);

	if (r == 0)
		r = join_runs(p, by_name, join_brief);
	if (r == 0)
		r = join_alike(p, RENAMED);
	if (r == 0)
		r = join_runs(p, by_name, join_named);
	return r < 0 ? r : join_alike(p, ALIKE);
}
