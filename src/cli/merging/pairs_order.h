/* SPDX-License-Identifier: Zlib */
/* pairs_order: of two lists those that are alike, in their order; and what the steps of pairs.c
 * share with it. */
#ifndef CLI_MERGING_PAIRS_ORDER_H
#define CLI_MERGING_PAIRS_ORDER_H

#include "cli/merging/pairs.h"

enum {
	ALIKE = 300,        /* of 1000: what is more alike is the same */
	RENAMED = 700,      /* ... under another name */
	SURE = 850,         /* ... without a doubt */
	NEAR = 500,         /* what stands between the same neighbours is so much more alike */
	PAIRS_MAX = 1 << 20 /* beyond that nothing is looked at */
};

/* Of those that are left. unlike: nothing better is to come, so less says that they are one.
 * -ENOMEM. */
int pairs_in_order(struct pairs *p, bool unlike);

void pairs_join(struct pairs *p, size_t i, size_t j, bool doubt);
bool pairs_same_name(const struct item *a, const struct item *b);
/* Can one be the other? */
bool pairs_same_sort(const struct item *a, const struct item *b);

#endif
