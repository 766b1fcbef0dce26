/* SPDX-License-Identifier: Zlib */
#include "tools/merge/pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tools/merge/content.h"

enum {
	ALIKE = 300,         /* of 1000: what is more alike is the same */
	RENAMED = 700,       /* ... under another name */
	SURE = 850,          /* ... without a doubt */
	OF_NAME = 300,       /* so much more alike is what has the same name */
	OF_DIR = 500,        /* ... and directory */
	PAIRS_MAX = 1 << 20, /* beyond that only what is equal, or has the same name, is found */
	BRIEF = 6,           /* lines: so few are the same in what has nothing in common */
};

void pairs_join(struct item *a, struct item *b, bool doubt)
{
	a->is[b->in] = b;
	b->is[a->in] = a;
	a->doubt |= doubt;
}

/* As strcmp; 0: they have one name, in one directory. */
static int by_name(const struct item *a, const struct item *b)
{
	int r = array_order(a->up->of->number, b->up->of->number);

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
		r = array_order(a->digest.a, b->digest.a);
	return r ? r : array_order(a->digest.b, b->digest.b);
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
};

typedef int (*pairs_order)(const struct item *a, const struct item *b);

static int by_order(const void *a, const void *b, void *arg)
{
	const struct single *x = a, *y = b;
	int r = (*(const pairs_order *)arg)(x->is, y->is);

	if (r == 0)
		r = array_order(x->is->in, y->is->in);
	return r ? r : array_order(x->at, y->at);
}

/* Of several that are equal the first is the first: which it is can matter only where one of them
 * went, or came, or the other side changed one. */
static void join_equal(const struct single *a, size_t n, const struct single *b, size_t m)
{
	for (size_t k = 0; k < n && k < m; k++)
		pairs_join(a[k].is, b[k].is, n != m);
}

/* What is left of one name is the same, whatever it holds, if there are as many. */
static void join_named(const struct single *a, size_t n, const struct single *b, size_t m)
{
	for (size_t k = 0; n == m && k < n; k++)
		if (n == 1 && a[k].is->bare[0] ? same_kind(a[k].is, b[k].is)
					       : same_sort(a[k].is, b[k].is))
			pairs_join(a[k].is, b[k].is, n > 1);
}

static bool is_brief(const struct item *i)
{
	return !i->dir && strcmp(i->ending, ".json") == 0 && i->n_sketch <= BRIEF;
}

/* What says no more than the size of a picture that is elsewhere is what its name says. */
static void join_brief(const struct single *a, size_t n, const struct single *b, size_t m)
{
	if (n == 1 && m == 1 && a->is->bare[0] && is_brief(a->is) && is_brief(b->is) &&
		same_sort(a->is, b->is))
		pairs_join(a->is, b->is, false);
}

static bool is_free(const struct pairs *p, int side, size_t i)
{
	return !p->at[side][i]->is[p->in[!side]];
}

/* Calls fn with those that are equal in this order, as they stand in both lists. */
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

		while (a + n < end && a[n].is->in == p->in[0] && order(a->is, a[n].is) == 0)
			n++;
		while (a + n + m < end && order(a->is, a[n + m].is) == 0)
			m++;
		fn(a, n, a + n, m);
		a += n + m;
	}
	return 0;
}

/* One of each list. */
struct candidate {
	size_t at[2];
	unsigned alike, score;
};

/* How much speaks for it that they are the same, and how alike they are; 0: they are not. renamed:
 * how alike those of another name have to be, if they are directories; what files name would be
 * taken for another one by all of them. */
static unsigned score(const struct pairs *p, struct candidate *c, unsigned renamed)
{
	const struct item *a = p->at[0][c->at[0]], *b = p->at[1][c->at[1]];
	bool dir = a->up->of == b->up->of, name = strcmp(a->bare, b->bare) == 0;
	unsigned other = !dir ? 1000 : a->dir ? renamed : RENAMED;

	if (!same_sort(a, b) || strcmp(a->up->name, b->up->name) != 0)
		return 0;
	c->alike = content_alike(a, b);
	if (c->alike < (name && (dir || a->bare[0]) ? ALIKE : other))
		return 0;
	return c->alike + (name ? OF_NAME : 0) + (dir ? OF_DIR : 0);
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int r = array_order(y->score, x->score);

	if (r == 0)
		r = array_order(x->at[0], y->at[0]);
	return r ? r : array_order(x->at[1], y->at[1]);
}

/* Is one that is free about as good in the place of one of the two? */
static bool has_rival(const struct pairs *p, const struct candidate *c, unsigned renamed)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->n[s]; i++) {
			struct candidate other = *c;

			other.at[s] = i;
			if (i != c->at[s] && is_free(p, s, i) && score(p, &other, renamed) &&
				other.alike > c->alike / 10 * 9)
				return true;
		}
	return false;
}

/* Does another one have its name where it was, that is new or changed? */
static bool has_namesake(const struct pairs *p, const struct item *a, const struct item *b)
{
	for (size_t j = 0; j < p->n[1]; j++) {
		const struct item *c = p->at[1][j], *was = c->is[p->in[0]];

		if (c != b && by_name(a, c) == 0 && a->bare[0] && (!was || by_all(was, c) != 0))
			return true;
	}
	return false;
}

static bool doubtful(const struct pairs *p, const struct candidate *c, unsigned renamed)
{
	const struct item *a = p->at[0][c->at[0]], *b = p->at[1][c->at[1]];

	if (strcmp(a->bare, b->bare) != 0 &&
		(c->alike < SURE || (c->alike < 1000 && has_namesake(p, a, b))))
		return true;
	if (a->up->of != b->up->of && (c->alike < RENAMED || has_namesake(p, a, b)))
		return true;
	return has_rival(p, c, renamed);
}

/* The best first. */
static int join_alike(const struct pairs *p, unsigned renamed)
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
			c.score = is_free(p, 1, c.at[1]) ? score(p, &c, renamed) : 0;
			if (c.score && !array_room(all, n, room))
				return -ENOMEM;
			if (c.score)
				all[n++] = c;
		}
	if (n)
		qsort(all, n, sizeof(*all), by_score);
	for (size_t k = 0; k < n; k++)
		if (is_free(p, 0, all[k].at[0]) && is_free(p, 1, all[k].at[1]))
			pairs_join(p->at[0][all[k].at[0]], p->at[1][all[k].at[1]],
				doubtful(p, &all[k], renamed));
	return 0;
}

int pairs_find_equal(const struct pairs *p)
{
	return join_runs(p, by_all, join_equal);
}

int pairs_find(const struct pairs *p)
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
