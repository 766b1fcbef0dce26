/* SPDX-License-Identifier: Zlib */
#include "cli/merging/pairs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cli/merging/content.h"
#include "cli/merging/pairs_order.h"

static bool begin(struct pairs *p)
{
	p->of_a = malloc((p->n_a + 1) * sizeof(*p->of_a));
	p->of_b = malloc((p->n_b + 1) * sizeof(*p->of_b));
	p->doubt = calloc(p->n_a + 1, sizeof(*p->doubt));
	p->own = malloc((p->n_b + 1) * sizeof(*p->own));
	if (!p->of_a || !p->of_b || !p->doubt || !p->own)
		return false;
	memset(p->own, 0xff, p->n_b * sizeof(*p->own));
	memset(p->of_a, 0xff, p->n_a * sizeof(*p->of_a));
	memset(p->of_b, 0xff, p->n_b * sizeof(*p->of_b));
	return true;
}

void pairs_finish(struct pairs *p)
{
	free(p->of_a);
	free(p->of_b);
	free(p->doubt);
	free(p->own);
}

void pairs_join(struct pairs *p, size_t i, size_t j, bool doubt)
{
	p->of_a[i] = j;
	p->of_b[j] = i;
	p->doubt[i] = doubt;
}

bool pairs_same_name(const struct item *a, const struct item *b)
{
	return a->dir == b->dir && strcmp(a->bare, b->bare) == 0;
}

static bool same_content(const struct item *a, const struct item *b)
{
	return a->dir == b->dir && strcmp(a->ending, b->ending) == 0 &&
	       digest_same(&a->digest, &b->digest);
}

static bool same_both(const struct item *a, const struct item *b)
{
	return pairs_same_name(a, b) && same_content(a, b);
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

bool pairs_same_sort(const struct item *a, const struct item *b)
{
	return same_kind(a, b) && (a->dir ? same_parts(a, b) : strcmp(a->ending, b->ending) == 0);
}

/* How many of a list that have no other are like this one, and the last of them. */
static size_t count(struct item *const *list, size_t n, const size_t *of, const struct item *like,
	bool (*same)(const struct item *, const struct item *), size_t *ret)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (of[i] == PAIRS_NONE && same(list[i], like)) {
			found++;
			*ret = i;
		}
	return found;
}

/* How many of a list have the name of this one, and the last of them. */
static size_t namesakes(struct item *const *list, size_t n, const struct item *like, size_t *ret)
{
	size_t found = 0;

	for (size_t i = 0; like->bare[0] && i < n; i++)
		if (pairs_same_name(list[i], like)) {
			found++;
			*ret = i;
		}
	return found;
}

/* Has nothing else its name on both sides, and is the one of b, *ret, free? */
static bool is_unique(const struct pairs *p, const struct item *a, size_t *ret)
{
	size_t self;

	return namesakes(p->a, p->n_a, a, &self) == 1 && namesakes(p->b, p->n_b, a, ret) == 1 &&
	       p->of_b[*ret] == PAIRS_NONE;
}

/* How alike one of b is to what has its name in a. */
static unsigned own(struct pairs *p, size_t j)
{
	if (p->own[j] != UINT_MAX)
		return p->own[j];
	p->own[j] = 0;
	for (size_t i = 0; p->b[j]->bare[0] && i < p->n_a; i++) {
		unsigned alike =
			pairs_same_name(p->a[i], p->b[j]) ? content_alike(p->a[i], p->b[j]) : 0;

		p->own[j] = alike > p->own[j] ? alike : p->own[j];
	}
	return p->own[j];
}

/* The one of b under another name that is as much like a's as the one of its name is; PAIRS_NONE.
 */
static size_t rival(struct pairs *p, const struct item *a, const struct item *holder)
{
	unsigned most = content_alike(a, holder) / 10 * 9;
	size_t found = PAIRS_NONE;

	for (size_t j = 0; j < p->n_b; j++) {
		unsigned alike = p->of_b[j] == PAIRS_NONE && pairs_same_sort(a, p->b[j])
					 ? content_alike(a, p->b[j])
					 : 0;

		if (alike < RENAMED || alike <= most || own(p, j) >= alike)
			continue;
		most = alike;
		found = j;
	}
	return found;
}

/* Perhaps it was renamed, or went elsewhere, and another one got its name: what is not like it at
 * all is not it. */
static void by_name(struct pairs *p)
{
	for (size_t i = 0; i < p->n_a; i++) {
		const struct item *a = p->a[i];
		unsigned alike;
		size_t j, other;
		bool equal;

		if (p->of_a[i] != PAIRS_NONE || !is_unique(p, a, &j))
			continue;
		alike = same_kind(a, p->b[j]) ? content_alike(a, p->b[j]) : 0;
		other = rival(p, a, p->b[j]);
		equal = other != PAIRS_NONE && same_content(a, p->b[other]);
		if (alike >= (equal ? RENAMED : ALIKE))
			pairs_join(p, i, j, other != PAIRS_NONE);
		else if (other != PAIRS_NONE)
			pairs_join(p, i, other, !equal || alike >= ALIKE);
	}
}

/* And now it is, where nothing else has that name, or nothing else that has none. */
static void by_name_alone(struct pairs *p, bool of_all)
{
	for (size_t i = 0; i < p->n_a; i++) {
		const struct item *a = p->a[i];
		size_t self, j;

		if (p->of_a[i] != PAIRS_NONE || !a->bare[0])
			continue;
		if (of_all ? is_unique(p, a, &j) && same_kind(a, p->b[j])
			   : count(p->a, p->n_a, p->of_a, a, pairs_same_name, &self) == 1 &&
					count(p->b, p->n_b, p->of_b, a, pairs_same_name, &j) == 1 &&
					pairs_same_sort(a, p->b[j]))
			pairs_join(p, i, j, !of_all);
	}
}

/* Of several that are equal the first is the first: which it is can matter only where one of them
 * went, or came, or the other side changed one. */
static void by_content(struct pairs *p, bool (*same)(const struct item *, const struct item *))
{
	for (size_t i = 0; i < p->n_a; i++) {
		size_t here, there, j;

		if (p->of_a[i] != PAIRS_NONE)
			continue;
		here = count(p->a, p->n_a, p->of_a, p->a[i], same, &j);
		there = count(p->b, p->n_b, p->of_b, p->a[i], same, &j);
		if (!there)
			continue;
		for (j = 0; p->of_b[j] != PAIRS_NONE || !same(p->a[i], p->b[j]); j++)
			;
		pairs_join(p, i, j, here != there);
	}
}

unsigned pairs_alike(const struct item *a, const struct item *b)
{
	unsigned alike = pairs_same_sort(a, b) ? content_alike(a, b) : 0;

	return alike >= ALIKE ? alike : 0;
}

bool pairs_sure(unsigned alike)
{
	return alike >= RENAMED;
}

int pairs_find_equal(struct pairs *p)
{
	if (!begin(p))
		return -ENOMEM;
	by_content(p, same_both);
	return 0;
}

int pairs_find(struct pairs *p)
{
	if (!begin(p))
		return -ENOMEM;
	by_content(p, same_both);
	by_name(p);
	by_content(p, same_content);
	return 0;
}

int pairs_find_alike(struct pairs *p)
{
	return pairs_in_order(p, false);
}

int pairs_find_rest(struct pairs *p)
{
	int r;

	by_name_alone(p, true);
	r = pairs_in_order(p, true);
	if (r == 0)
		by_name_alone(p, false);
	return r;
}
