/* SPDX-License-Identifier: Zlib */
/*
 * digest: a short value that identifies a content. Two contents of n bytes have equal digests with
 * a probability of at most n^2 / 2^119, even if an attacker made them. Digests depend on random
 * numbers of the process, so they are valid in this process only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
	uint64_t a, b;
};

/* Draw the random numbers. Call it before any other function here. -EIO: there are none. */
int digest_init(void);
/* Digest of a content in memory. */
struct digest digest_of(const void *data, size_t n);
/* Add a piece to a digest, which starts as zeros. The digest depends on how a content is divided,
 * so the content itself must determine where its pieces begin (lines do). */
void digest_add(struct digest *d, const void *data, size_t n);

/* A hash that is equal in all processes, but that an attacker can make collide: for guesses. */
uint64_t digest_hash(const void *data, size_t n);

static inline bool digest_same(const struct digest *x, const struct digest *y)
{
	return x->a == y->a && x->b == y->b;
}
