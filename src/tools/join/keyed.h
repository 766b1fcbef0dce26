/* SPDX-License-Identifier: Zlib */
/* keyed: merge elements that have keys, such as rows of a table or fields of an object. */
#pragma once

#include "tools/join/seq_merge.h"

struct keyed {
	struct seq keys, values; /* of equal length */
	size_t *order;           /* indexes, sorted by key; set by keyed_sort */
};

/* Set order. Returns 1 if each key occurs once, otherwise 0. -ENOMEM. */
int keyed_sort(struct keyed *k);
void keyed_finish(struct keyed of[SIDES]);
/* Called with a key and its value on each side, `at` NULL if missing. Nonzero stops the merge. */
typedef int (*keyed_fn)(void *arg, struct span key, const struct span v[SIDES]);
/* Call fn for each key of ours and theirs, in the order of ours. A key that only theirs has comes
 * before the next one that both have. Returns what fn returned last. */
int keyed_merge(const struct keyed of[SIDES], keyed_fn fn, void *arg);
