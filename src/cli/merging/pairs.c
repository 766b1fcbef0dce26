/* SPDX-License-Identifier: Zlib */
#include "cli/merging/pairs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/merging/content.h"
#include "cli/merging/pairs_order.h"

static int begin(struct pairs *p)
{
	int r;

	p->of_a = malloc((p->n_a + 1) * sizeof(*p->of_a));
	p->of_b = malloc((p->n_b + 1) * sizeof(*p->of_b));
	p->doubt = calloc(p->n_a + 1, sizeof(*p->doubt));
	p->own = malloc((p->n_b + 1) * sizeof(*p->own));
	if (!p->of_a || !p->of_b || !p->doubt || !p->own)
		return -ENOMEM;
	memset(p->own, 0xff, p->n_b * sizeof(*p->own));
	memset(p->of_a, 0xff, p->n_a * sizeof(*p->of_a));
	memset(p->of_b, 0xff, p->n_b * sizeof(*p->of_b));
	r = pairs_index_make(&p->names_a, p->a, p->n_a, NULL, pairs_by_name);
	return r < 0 ? r : pairs_index_make(&p->names_b, p->b, p->n_b, NULL, pairs_by_name);
}

void pairs_finish(struct pairs *p)
{
	free(p->of_a);
	free(p->of_b);
	free(p->doubt);
	free(p->own);
	pairs_index_finish(&p->names_a);
	pairs_index_finish(&p->names_b);
}

void pairs_join(struct pairs *p, size_t i, size_t j, bool doubt)
{
	p->of_a[i] = j;
	p->of_b[j] = i;
	p->doubt[i] = doubt;
}

bool pairs_same_name(const struct item *a, const struct item *b)
{
	return pairs_by_name(a, b) == 0;
}

static bool same_content(const struct item *a, const struct item *b)
{
	return pairs_by_content(a, b) == 0;
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

/* How many that have no other have the name of this one, and the last of them. */
static size_t count(
	const struct pairs_index *names, const size_t *of, const struct item *like, size_t *ret)
{
	size_t n, found = 0;
	const size_t *at = pairs_index_find(names, like, &n);

	for (size_t i = 0; i < n; i++)
		if (of[at[i]] == PAIRS_NONE) {
			found++;
			*ret = at[i];
		}
	return found;
}

/* Has nothing else its name on both sides, and is the one of b, *ret, free? */
static bool is_unique(const struct pairs *p, const struct item *a, size_t *ret)
{
	size_t n_a, n_b;
	const size_t *at;

	if (!a->bare[0])
		return false;
	(void)pairs_index_find(&p->names_a, a, &n_a);
	at = pairs_index_find(&p->names_b, a, &n_b);
	if (n_a != 1 || n_b != 1)
		return false;
	*ret = at[0];
	return p->of_b[*ret] == PAIRS_NONE;
}

/* How alike one of b is to what has its name in a. */
static unsigned own(struct pairs *p, size_t j)
{
	const size_t *at;
	size_t n;

	if (p->own[j] != UINT_MAX)
		return p->own[j];
	p->own[j] = 0;
	at = pairs_index_find(&p->names_a, p->b[j], &n);
	for (size_t i = 0; p->b[j]->bare[0] && i < n; i++) {
		unsigned alike = content_alike(p->a[at[i]], p->b[j]);

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

static size_t count_left(const size_t *of, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		left += of[i] == PAIRS_NONE;
	return left;
}

/* Perhaps it was renamed, or went elsewhere, and another one got its name: what is not like it at
 * all is not it. */
static void by_name(struct pairs *p)
{
	size_t left = count_left(p->of_b, p->n_b);
	bool all = !left || count_left(p->of_a, p->n_a) <= PAIRS_MAX / left;

	for (size_t i = 0; i < p->n_a; i++) {
		const struct item *a = p->a[i];
		unsigned alike;
		size_t j, other;
		bool equal;

		if (p->of_a[i] != PAIRS_NONE || !is_unique(p, a, &j))
			continue;
		alike = same_kind(a, p->b[j]) ? content_alike(a, p->b[j]) : 0;
		other = all ? rival(p, a, p->b[j]) : PAIRS_NONE;
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
			   : count(&p->names_a, p->of_a, a, &self) == 1 &&
					count(&p->names_b, p->of_b, a, &j) == 1 &&
					pairs_same_sort(a, p->b[j]))
			pairs_join(p, i, j, !of_all);
	}
}

/* Of several that are equal the first is the first: which it is can matter only where one of them
 * went, or came, or the other side changed one. */
static int by_content(struct pairs *p, pairs_compare compare)
{
	struct pairs_index a = {0}, b = {0};
	int r = pairs_index_make(&a, p->a, p->n_a, p->of_a, compare);

	if (r == 0)
		r = pairs_index_make(&b, p->b, p->n_b, p->of_b, compare);
	for (size_t i = 0, here, there; r == 0 && i < a.n; i += here) {
		const size_t *at = pairs_index_find(&b, p->a[a.at[i]], &there);

		(void)pairs_index_find(&a, p->a[a.at[i]], &here);
		for (size_t k = 0; k < here && k < there; k++)
			pairs_join(p, a.at[i + k], at[k], here != there);
	}
	pairs_index_finish(&a);
	pairs_index_finish(&b);
	return r;
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
	int r = begin(p);

	return r < 0 ? r : by_content(p, pairs_by_both);
}

int pairs_find(struct pairs *p)
{
	int r = pairs_find_equal(p);

	if (r < 0)
		return r;
	by_name(p);
	return by_content(p, pairs_by_content);
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
