/* SPDX-License-Identifier: Zlib */
/* file: decide the content of a file that ours and theirs both have. */
#pragma once

#include "tools/merge/merge_node.h"

/* Does a path match a shell pattern, in which case is ignored, and * matches slashes, too? The
 * NULL-terminated list may be NULL. */
bool file_matches(const char *const *patterns, const char *path);
/* Are content and ending equal on two sides, apart from how objects are numbered? 1, 0, or -errno.
 * Two missing files are equal. */
int file_same(struct merge *m, const struct merge_node *x, enum which v, enum which w);
/* The side to take a file from. THEIRS: only theirs changed it. OURS: theirs did not change it, or
 * both changed it equally. SIDES: both changed it differently. Or -errno. */
int file_changed_side(struct merge *m, const struct merge_node *x);
/* Decide a content: set takes_theirs or content, or add a conflict, or keep ours. -errno. */
int file_decide(struct merge *m, struct merge_node *x);
/* If both sides changed a table of a layer, decide its tables together; file_decide skips them. */
int file_decide_planes(struct merge *m, struct merge_node *dir);
