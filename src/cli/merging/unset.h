/* SPDX-License-Identifier: Zlib */
/* unset: the integer of a JSON file that says nothing (formats/merging.h: unset). */
#pragma once

#include "base/bytes.h"
#include "formats/merging.h"

/* How much of a line is what stands before it, and it; 0: it is not there. */
size_t unset_length(const struct format_merging *how, const char *line, size_t n);
/* A file with that of another one, where both have one. -ENOMEM. */
int unset_as(const struct format_merging *how, struct bytes **file, const struct bytes *other);
