/* SPDX-License-Identifier: Zlib */
/*
 * pairs: which objects of two lists are the same: those of one name that nothing else has, then
 * those of equal content, then the ones that are alike, in their order: those of one name, and
 * those of another name that are very much so.
 */
#ifndef CLI_MERGING_PAIRS_H
#define CLI_MERGING_PAIRS_H

#include "cli/merging/item.h"

struct pairs {
	struct item **a, **b;
	size_t n_a, n_b;
	size_t *of_a, *of_b; /* the other one's place, or PAIRS_NONE */
	bool *doubt;         /* of a's: another one was about as good */
};
#define PAIRS_NONE SIZE_MAX

/* The items are known (content.h) and the caller's. -ENOMEM. */
int pairs_find(struct pairs *p);
/* Only those of equal name and content. */
int pairs_find_equal(struct pairs *p);
void pairs_finish(struct pairs *p);
/* Two of one name, which are known: are they alike enough to be the same? */
bool pairs_alike(const struct item *a, const struct item *b);

#endif
