/* SPDX-License-Identifier: Zlib */
/* seq: sequences of texts (lines, elements of a list), and the differences between two of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* A text, not owned; `at` is NULL for a missing one. */
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
	return a.n == b.n && !a.at == !b.at && (a.n == 0 || __builtin_memcmp(a.at, b.at, a.n) == 0);
}

/* Append a text, which must outlive the sequence. -ENOMEM. */
int seq_add(struct seq *s, const char *at, size_t n);
void seq_finish(struct seq *s);
#define CLEANUP_SEQ __attribute__((cleanup(seq_finish)))
/* Append the lines of a text, without line feeds. -ENOMEM. */
int seq_lines(struct seq *s, const char *text, size_t n);

/* A difference: elements [from, to) of the base became elements [at, at + n) of the side. */
struct hunk {
	size_t from, to, at, n;
};
struct hunks {
	struct hunk *at;
	size_t n, room;
};
/* Find the differences, in order and separated; few large ones if there are very many. The caller
 * zeroes *ret, and frees ret->at, also on failure. -ENOMEM. */
int seq_diff(const struct seq *base, const struct seq *side, struct hunks *ret);
