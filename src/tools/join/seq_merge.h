/* SPDX-License-Identifier: Zlib */
/* seq_merge: what two sides made of one sequence, together. */
#pragma once

#include "tools/compare/seq.h"
#include "tools/join/join.h"

/* Whose it is, where one side alone changed it, or both did alike; SIDES: both did, in different
 * ways. What is not there has at NULL. */
static inline enum which span_pick(const struct span v[SIDES])
{
	return span_same(v[OURS], v[BASE])                                      ? THEIRS
	       : span_same(v[THEIRS], v[BASE]) || span_same(v[OURS], v[THEIRS]) ? OURS
										: SIDES;
}

/* What came of it. */
struct seq_join {
	/* Two sides changed one element: adds what comes of both to out and returns 0; or 1: it is
	 * a clash, and ours was added. May be NULL: a clash. */
	int (*inner)(void *arg, const struct span v[SIDES], struct buffer *out);
	void *arg;
	/* Where two sides added elements at one place both are kept, ours first, unless two of them
	 * are rivals (may be NULL: none are). */
	bool both;
	bool (*rivals)(struct span o, struct span t);
	const char *between; /* what stands between elements of the result */
	size_t clashes;     /* result: elements of ours (or places) that theirs changed otherwise */
	size_t first, last; /* ... and where, in ours, from 0 */
};
int seq_merge(const struct seq of[SIDES], struct seq_join *how, struct buffer *out);
