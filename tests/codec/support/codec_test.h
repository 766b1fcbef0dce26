/* SPDX-License-Identifier: Zlib */
/*
 * What the tests of this room share: extents of memory, random numbers that are the same each time.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* After those: cmocka.h needs them before it. */
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "../../support/asserts.h"
#include "base/disk/file.h"

static inline struct extent extent_of(const void *data, size_t n)
{
	struct bytes *b = bytes_copy(data, n);

	assert_non_null(b);
	return extent_of_bytes(b);
}

/* xorshift64* (Vigna 2016): a sequence that every run repeats. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}
