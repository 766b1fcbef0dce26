/* SPDX-License-Identifier: Zlib */
/* pairs_index: the objects of a list in an order in which equal ones stand together. */
#ifndef CLI_MERGING_PAIRS_INDEX_H
#define CLI_MERGING_PAIRS_INDEX_H

#include "cli/merging/item.h"

/* As strcmp; 0: they are equal. */
typedef int (*pairs_compare)(const struct item *a, const struct item *b);
int pairs_by_name(const struct item *a, const struct item *b);
int pairs_by_content(const struct item *a, const struct item *b);
int pairs_by_both(const struct item *a, const struct item *b);

struct pairs_index {
	struct item *const *list;
	size_t *at; /* places in list; of equal ones in its order */
	size_t n;
	pairs_compare compare;
};

/* Of those of a list that have no other in `of` (pairs.h); of == NULL: of all. -ENOMEM. */
int pairs_index_make(struct pairs_index *x, struct item *const *list, size_t n, const size_t *of,
	pairs_compare compare);
void pairs_index_finish(struct pairs_index *x);
/* The places of those that are equal to one, n of them. */
const size_t *pairs_index_find(const struct pairs_index *x, const struct item *like, size_t *ret_n);

#endif
