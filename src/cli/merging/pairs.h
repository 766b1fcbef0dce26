/* SPDX-License-Identifier: Zlib */
/*
 * pairs: which objects of two lists are the same.
 *
 * Both lists are of directories that were matched. Equal ones of one directory are the same, in
 * their order, and so are short JSON files of one name. Of the rest those that are most alike,
 * where a name and a directory that are the same count for more than another one a little more
 * alike; what has another name has to be very much alike, and what has both another name and
 * another directory, equal. Then what is left under one name in a directory, if there are as many
 * of them in both.
 */
#pragma once

#include "cli/merging/item.h"

struct pairs {
	struct item **a, **b; /* the lists are freed by pairs_finish, and the items stay */
	size_t n_a, n_b;
	size_t *of_a, *of_b; /* the other one's place, or PAIRS_NONE */
	bool *doubt;         /* of a's: another one was about as good */
};
#define PAIRS_NONE SIZE_MAX

/* The items are known (content.h), and so is what their directories are (item.of). -ENOMEM. */
int pairs_find(struct pairs *p);
/* Only those of equal name, content and directory. */
int pairs_find_equal(struct pairs *p);
void pairs_finish(struct pairs *p);
