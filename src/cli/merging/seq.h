/* SPDX-License-Identifier: Zlib */
/*
 * seq: sequences of texts (lines, elements of a list) and what two sides made of one.
 */
#ifndef CLI_MERGING_SEQ_H
#define CLI_MERGING_SEQ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct span {
	const char *at;
	size_t n;
};

struct seq {
	struct span *at;
	size_t n, room;
};

static inline bool span_same(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || __builtin_memcmp(a.at, b.at, a.n) == 0);
}

int seq_add(struct seq *s, const char *at, size_t n); /* -ENOMEM */
void seq_finish(struct seq *s);
#define CLEANUP_SEQ __attribute__((cleanup(seq_finish)))
/* The lines of a text, without their ends. */
int seq_lines(struct seq *s, const char *text, size_t n);

/* From base to a side: lines [from, to) became [at, at + n). */
struct hunk {
	size_t from, to, at, n;
};
struct hunks {
	struct hunk *at;
	size_t n, room;
};
/* In order, and none touches the next. -ENOMEM. */
int seq_diff(const struct seq *base, const struct seq *side, struct hunks *ret);

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

#endif
