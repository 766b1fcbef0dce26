/* SPDX-License-Identifier: Zlib */
/* Shared by the tests of this folder: extents in memory, and repeatable random numbers. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the headers above. */
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

/* xorshift64* (Vigna 2016): the same sequence in every run. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}
