/* SPDX-License-Identifier: Zlib */
/* keyed: merge elements that have keys, such as rows of a table or fields of an object. Fill the
 * lists of each side, and call keyed_sort for it, then keyed_merge and keyed_finish. */
#pragma once

#include "tools/join/seq_merge.h"

struct keyed {
	struct seq keys, values; /* of equal length; they borrow their texts */
	size_t *order;           /* indexes, sorted by key; set by keyed_sort */
};

/* Set order. Returns 1 if each key occurs once, otherwise 0. -ENOMEM. */
int keyed_sort(struct keyed *k);
void keyed_finish(struct keyed of[SIDES]); /* frees the lists of all sides */
/* Called with a key and its value on each side, `at` NULL if missing. Nonzero stops the merge. */
typedef int (*keyed_fn)(void *arg, struct span key, const struct span v[SIDES]);
/* Call fn for each key of ours and theirs, in the order of ours. A key that only theirs has comes
 * before the next one that both have. A side may be zero. Returns what fn returned last, or 0. */
int keyed_merge(const struct keyed of[SIDES], keyed_fn fn, void *arg);
