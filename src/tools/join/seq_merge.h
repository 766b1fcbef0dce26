/* SPDX-License-Identifier: Zlib */
/* seq_merge: three-way merge of sequences, such as lines or list elements. */
#pragma once

#include "tools/compare/seq.h"
#include "tools/join/join.h"

/* The side to take an element from: the one that changed it, or OURS if both changed it equally.
 * SIDES: both changed it differently. A missing element has `at` NULL. */
static inline enum which span_pick(const struct span v[SIDES])
{
	return span_same(v[OURS], v[BASE])                                      ? THEIRS
	       : span_same(v[THEIRS], v[BASE]) || span_same(v[OURS], v[THEIRS]) ? OURS
										: SIDES;
}

/* Options and result of a merge. */
struct seq_join {
	/* Merge one element that both sides changed and none removed, into out. Returns 0, -errno,
	 * or 1 for a clash, with ours where they clash. If NULL, each such element is a clash. */
	int (*inner)(void *arg, const struct span v[SIDES], struct buffer *out);
	void *arg;
	/* Keep elements that both sides added at one place, ours first and equal ones once, unless
	 * rivals() is true for one of ours and one of theirs. rivals may be NULL. */
	bool both;
	bool (*rivals)(struct span o, struct span t);
	const char *between; /* separator of the elements in the result; not NULL */
	size_t clashes;      /* result: number of elements of ours (or places) that clash */
	/* Results, if clashes > 0: indexes of the first and last clash in ours. An index may be the
	 * length of ours: elements that ours removed at its end clash. */
	size_t first, last;
};
/* Merge three sequences into out. Sets the results of how. -errno. */
int seq_merge(const struct seq of[SIDES], struct seq_join *how, struct buffer *out);
