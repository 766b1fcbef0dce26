/* SPDX-License-Identifier: Zlib */
/*
 * pairs: which objects of two lists are the same: those of one name that nothing else has, if they
 * are alike, and those of equal content; then the ones that are alike, in their order: those of one
 * name, and those of another name that are very much so; then what is left and has one name, or is
 * somewhat alike. Between these steps others are looked for elsewhere (crossed.h).
 */
#ifndef CLI_MERGING_PAIRS_H
#define CLI_MERGING_PAIRS_H

#include "cli/merging/item.h"
#include "cli/merging/pairs_index.h"

struct pairs {
	struct item **a, **b;
	size_t n_a, n_b;
	size_t *of_a, *of_b; /* the other one's place, PAIRS_NONE, or PAIRS_ELSEWHERE */
	bool *doubt;         /* of a's: another one was about as good */
	/* pairs.c's: all of them by their names, and how alike one of b is to one of its name. */
	struct pairs_index names_a, names_b;
	unsigned *own;
};
#define PAIRS_NONE      SIZE_MAX
#define PAIRS_ELSEWHERE (SIZE_MAX - 1) /* it is the same as one of another list */

/* The items are known (content.h) and the caller's. -ENOMEM. */
int pairs_find(struct pairs *p);
/* After it, and in this order. */
int pairs_find_alike(struct pairs *p);
int pairs_find_rest(struct pairs *p);
/* Only those of equal name and content. */
int pairs_find_equal(struct pairs *p);
void pairs_finish(struct pairs *p);
/* Two of one name, which are known: how alike they are (content_alike), or 0: not enough to be the
 * same. */
unsigned pairs_alike(const struct item *a, const struct item *b);
/* Is that enough to leave no doubt? */
bool pairs_sure(unsigned alike);

#endif
