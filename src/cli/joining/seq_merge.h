/* SPDX-License-Identifier: Zlib */
/* seq_merge: what two sides made of one sequence, together. */
#pragma once

#include "base/buffer.h"
#include "cli/compare/seq.h"

/* What came of it. */
struct seq_join {
	/* Two sides changed one element: adds what comes of both to out and returns 0; or 1: it is
	 * a clash, and ours was added. May be NULL: a clash. */
	int (*inner)(void *arg, struct span b, struct span o, struct span t, struct buffer *out);
	/* Two sides added elements at one place: are both kept, ours first? May be NULL: no. */
	bool (*both)(void *arg, const struct span *o, size_t n_o, const struct span *t, size_t n_t);
	void *arg;
	const char *between; /* what stands between elements of the result */
	size_t clashes;     /* result: elements of ours (or places) that theirs changed otherwise */
	size_t first, last; /* ... and where, in ours, from 0 */
};
int seq_merge(const struct seq *b, const struct seq *o, const struct seq *t, struct seq_join *how,
	struct buffer *out);
