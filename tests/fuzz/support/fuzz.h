/* SPDX-License-Identifier: Zlib */
/*
 * fuzz: what the targets share. A target takes any bytes: they are read, or refused with words, and
 * what was read keeps its laws; else it aborts.
 *
 * Each is a program of its own, driver.c with FUZZ_TARGET naming it: a libFuzzer program in a build
 * for fuzzing (contrib/fuzz), else one that replays files.
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

/* A refusal has words, and is a refusal. */
static inline int judged(int r, const struct error *e)
{
	if (r < 0 && (!*error_text(e) || e->code != r))
		abort();
	return r;
}

static inline void broken(const char *law, const char *text)
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
