/* SPDX-License-Identifier: Zlib */
/* compared: the ranges of a new file that were read back and compared with their source while they
 * were copied. A later verification can skip them. A struct compared of zeros has no ranges. */
#pragma once

#include "base/disk/file.h"

struct compared_range;

struct compared {
	struct compared_range *ranges; /* in the order of their offsets in the new file */
	size_t n, room;
};

/* Record that x, an extent of a file, was copied to offset `at` and compared. Takes a reference to
 * x->file. Add ranges in the order of `at`. If memory is exhausted, x is not recorded. */
void compared_add(struct compared *c, const struct extent *x, uint64_t at);
/* Was x copied to offset `at` and compared? True for a range that was added, and for a part of one,
 * with the same x->file. c may be NULL. */
bool compared_has(const struct compared *c, const struct extent *x, uint64_t at);
void compared_finish(struct compared *c);
