/* SPDX-License-Identifier: Zlib */
/* compared: the ranges of a new file that were read back while they were copied into it, and were
 * what they were copied from. */
#pragma once

#include "base/disk/file.h"

struct compared_range;

struct compared {
	struct compared_range *all; /* in the order of their places */
	size_t n, room;
};

/* x stands at `at`, behind all that were added before. Without memory for it nothing is known. */
void compared_add(struct compared *c, const struct extent *x, uint64_t at);
/* Were these bytes copied to that place and compared? c may be NULL. */
bool compared_has(const struct compared *c, const struct extent *x, uint64_t at);
void compared_finish(struct compared *c);
