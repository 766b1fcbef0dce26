/* SPDX-License-Identifier: Zlib */
/* indexing: the files of a map that list its other files (formats/index.h) go into its tree anew.
 */
#pragma once

#include "cli/offline/change.h"

struct indexing {
	struct offline *tree;
	bool dry;     /* nothing is put: rows that would differ are said */
	bool exact;   /* rows without a source go */
	bool verbose; /* rows that differ are said, and those that stay for want of a source */
	bool unread;  /* result: a source cannot be read, and its row stays */
	size_t n_put; /* result: that were put */
};

/* As the files of s say. A line on stderr for each source that lacks something, of rows on stdout.
 * -EOPNOTSUPP: no file of such a map lists others. */
int indexing_put(struct indexing *x, const struct snapshot *s, struct error *e);
