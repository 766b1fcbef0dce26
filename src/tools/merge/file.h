/* SPDX-License-Identifier: Zlib */
/* file: what becomes of a file that ours and theirs have. */
#pragma once

#include "tools/merge/merged.h"

/* Does a path match one of the patterns, which end with NULL? patterns may be NULL. */
bool file_fits(const char *const *patterns, const char *path);
/* Do two sides say the same? 1: yes; 0: no; -errno. */
int file_same(struct merge *m, const struct merged *x, enum which v, enum which w);
/* THEIRS: they alone changed it; OURS: theirs did not, or as ours did; SIDES: both did, in
 * different ways; -errno. */
int file_whose(struct merge *m, const struct merged *x);
int file_decide(struct merge *m, struct merged *x);
/* The tables in a directory of an object; file_decide leaves alone what is decided already. */
int file_decide_planes(struct merge *m, struct merged *dir);
