/* SPDX-License-Identifier: Zlib */
/*
 * seq: sequences of texts (lines, elements of a list), and how one differs from another.
 */
#pragma once

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
	return a.n == b.n && !a.at == !b.at && (a.n == 0 || __builtin_memcmp(a.at, b.at, a.n) == 0);
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
