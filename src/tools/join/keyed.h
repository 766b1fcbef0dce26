/* SPDX-License-Identifier: Zlib */
/* keyed: elements with keys, as rows of a table and fields of an object have them. */
#pragma once

#include "tools/join/seq_merge.h"

struct keyed {
	struct seq keys, values; /* as many */
	size_t *order;           /* places, by their keys */
};

/* Fills order. 1: each key is there once; 0: it is not; -ENOMEM. */
int keyed_sort(struct keyed *k);
void keyed_finish(struct keyed of[SIDES]);
/* Calls fn with each key of ours and theirs, and what each side has there: ours in their order;
 * what only theirs has stands behind what it follows there. fn returns 0, or what ends it. */
typedef int (*keyed_fn)(void *arg, struct span key, const struct span v[SIDES]);
int keyed_merge(const struct keyed of[SIDES], keyed_fn fn, void *arg);
