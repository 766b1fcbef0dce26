/* SPDX-License-Identifier: Zlib */
#include "cli/merging/pairs_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/merging/pairs.h"

int pairs_by_name(const struct item *a, const struct item *b)
{
	return a->dir != b->dir ? a->dir - b->dir : strcmp(a->bare, b->bare);
}

/* Any order will do, as that of a digest is another one in each process. */
int pairs_by_content(const struct item *a, const struct item *b)
{
	const struct digest *x = &a->digest, *y = &b->digest;

	if (a->dir != b->dir)
		return a->dir - b->dir;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return strcmp(a->ending, b->ending);
}

int pairs_by_both(const struct item *a, const struct item *b)
{
	int r = pairs_by_content(a, b);

	return r ? r : pairs_by_name(a, b);
}

static int by_place(const void *a, const void *b, void *arg)
{
	const struct pairs_index *x = arg;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	int r = x->compare(x->list[i], x->list[j]);

	return r ? r : i < j ? -1 : i > j;
}

int pairs_index_make(struct pairs_index *x, struct item *const *list, size_t n, const size_t *of,
	pairs_compare compare)
{
	*x = (struct pairs_index){
		.list = list, .at = calloc(n + 1, sizeof(*x->at)), .compare = compare};
	if (!x->at)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!of || of[i] == PAIRS_NONE)
			x->at[x->n++] = i;
	if (x->n)
		qsort_r(x->at, x->n, sizeof(*x->at), by_place, x);
	return 0;
}

void pairs_index_finish(struct pairs_index *x)
{
	free(x->at);
	x->at = NULL;
}

/* How many stand before it, or (through) before what is behind it. */
static size_t before(const struct pairs_index *x, const struct item *like, bool through)
{
	size_t low = 0, high = x->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (x->compare(x->list[x->at[middle]], like) < through)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const size_t *pairs_index_find(const struct pairs_index *x, const struct item *like, size_t *ret_n)
{
	size_t first = before(x, like, false);

	*ret_n = before(x, like, true) - first;
	return x->at + first;
}
