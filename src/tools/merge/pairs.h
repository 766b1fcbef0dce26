/* SPDX-License-Identifier: Zlib */
/*
 * pairs: match the objects of two maps.
 *
 * The directories of both lists are matched before. The steps, each for the objects left over by
 * the steps before it:
 *
 *   1. Objects of one directory with equal name and content match, in the order of the lists.
 *   2. The most similar objects match, unless there are more than 2^20 pairs. An equal name and an
 *      equal directory count more than a slightly higher similarity. A directory with another name
 *      must be very similar and drawn with the same; a file with another name, or any object with
 *      another name in another directory, must be equal.
 *   3. Objects with one name in one directory match, if both lists have the same number of them.
 *
 * Between ours and theirs without a base, a changed object cannot be told from another object. Then
 * only directories of one name match that are drawn with the same and similar beyond doubt, and
 * equal objects; there is no step 3.
 */
#pragma once

#include "tools/merge/merge_item.h"

/* Two lists of objects. The caller owns the arrays. */
struct pairs {
	struct merge_item **at[2];
	size_t n[2], room[2];
	enum which in[2]; /* the two maps: BASE before OURS before THEIRS */
};

/* Match the objects of both lists that have no match yet: sets `matches` of both, and
 * is_ambiguous of the first. All objects must be scanned (content.h), and `node` of their
 * directories be set. -ENOMEM. */
int pairs_find(const struct pairs *p);
/* The first step alone: objects with equal name, content and directory. -ENOMEM. */
int pairs_find_equal(const struct pairs *p);
/* Record that two items match. ambiguous: sets a->is_ambiguous. */
void pairs_join(struct merge_item *a, struct merge_item *b, bool ambiguous);
