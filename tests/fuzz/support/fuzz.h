/* SPDX-License-Identifier: Zlib */
/*
 * fuzz: shared by the targets. A target accepts any bytes: it reads them or refuses them with a
 * message, and checks laws of the bytes that it read; otherwise it aborts.
 *
 * Each target is a separate program, driver.c with its name as FUZZ_TARGET: a libFuzzer program in
 * a build for fuzzing (contrib/fuzz), otherwise one that replays files.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/disk/file.h"
#include "base/error.h"

#define TARGET(name)                                                                               \
	void name(const uint8_t *data, size_t size);                                               \
	void name(const uint8_t *data, size_t size)

/* Check that a refusal has a message and the returned error code. */
static inline int check_error(int r, const struct error *e)
{
	if (r < 0 && (!*error_text(e) || e->code != r))
		abort();
	return r;
}

static inline void abort_broken(const char *law, const char *text)
{
	fprintf(stderr, "broken: %s: %s\n", law, text);
	abort();
}

static inline struct extent extent_of(const uint8_t *data, size_t size)
{
	struct bytes *b = bytes_copy(data, size);

	if (!b)
		abort();
	return extent_of_bytes(b);
}
