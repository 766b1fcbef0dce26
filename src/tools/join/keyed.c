/* SPDX-License-Identifier: Zlib */
#include "tools/join/keyed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int compare_spans(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int r = n ? memcmp(a.at, b.at, n) : 0;

	return r ? r : array_compare(a.n, b.n);
}

static int by_key(const void *a, const void *b, void *arg)
{
	const struct span *keys = arg;

	return compare_spans(keys[*(const size_t *)a], keys[*(const size_t *)b]);
}

int keyed_sort(struct keyed *k)
{
	size_t n = k->keys.n, *order = realloc(k->order, (n + 1) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	k->order = order;
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_key, k->keys.at);
	for (size_t i = 1; i < n; i++)
		if (by_key(&order[i - 1], &order[i], k->keys.at) == 0)
			return 0;
	return 1;
}

void keyed_finish(struct keyed of[SIDES])
{
	for (int w = 0; w < SIDES; w++) {
		seq_finish(&of[w].keys);
		seq_finish(&of[w].values);
		free(of[w].order);
	}
}

/* Index of a key, or keys.n if it is missing. */
static size_t find_key(const struct keyed *k, struct span key)
{
	size_t n = k->keys.n;
	size_t at = array_bisect(i, n, compare_spans(k->keys.at[k->order[i]], key) >= 0);

	return at < n && span_same(k->keys.at[k->order[at]], key) ? k->order[at] : n;
}

static int merge_key(const struct keyed of[SIDES], struct span key, keyed_fn fn, void *arg)
{
	struct span v[SIDES] = {{0}};

	for (int w = 0; w < SIDES; w++) {
		size_t at = find_key(&of[w], key);

		if (at < of[w].values.n)
			v[w] = of[w].values.at[at];
	}
	return fn(arg, key, v);
}

int keyed_merge(const struct keyed of[SIDES], keyed_fn fn, void *arg)
{
	const struct keyed *o = &of[OURS], *t = &of[THEIRS];
	size_t next = 0; /* index in theirs */
	int r = 0;

	for (size_t i = 0; r == 0 && i <= o->keys.n; i++) {
		bool end = i == o->keys.n;
		size_t same = end ? t->keys.n : find_key(t, o->keys.at[i]);

		/* First the keys that precede it in theirs and that ours does not have. */
		for (; r == 0 && next < same && (end || same < t->keys.n); next++)
			if (find_key(o, t->keys.at[next]) == o->keys.n)
				r = merge_key(of, t->keys.at[next], fn, arg);
		if (r == 0 && !end)
			r = merge_key(of, o->keys.at[i], fn, arg);
	}
	return r;
}
