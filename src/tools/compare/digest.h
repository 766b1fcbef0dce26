/* SPDX-License-Identifier: Zlib */
/*
 * digest: a short value that stands for a content. Two contents of n bytes have the same one with a
 * chance of n / 2^110 at most, whoever made them: it depends on numbers that are drawn at random by
 * each process, so it is good for that process alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
	uint64_t a, b;
};

/* Before the first. -errno: there are no random numbers. */
int digest_begin(void);
struct digest digest_of(const void *data, size_t n);
/* The same of a content that comes in pieces, which begin where its bytes say; of zeros at first.
 */
void digest_add(struct digest *d, const void *data, size_t n);

/* The same for all processes, and no more than likely to differ: for what may be wrong. */
uint64_t digest_likely(const void *data, size_t n);

static inline bool digest_same(const struct digest *x, const struct digest *y)
{
	return x->a == y->a && x->b == y->b;
}
