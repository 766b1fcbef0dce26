/* SPDX-License-Identifier: Zlib */
/* update: write the files of a map that list its other files (tools/index/index.h) into its tree.
 */
#pragma once

#include "vfs/offline/change.h"

struct index_update {
	struct offline *tree;
	bool dry;     /* nothing is written; rows that would change are printed */
	bool exact;   /* rows without a source are removed */
	bool verbose; /* rows that change are printed, and rows that stay without a source */
	bool unread;  /* result: a source cannot be read, and its row stays */
	size_t n_put; /* result: number of index files written */
};

/* Write the index files that follow from the other files of s. Rows are printed on stdout, sources
 * that lack something on stderr. -EOPNOTSUPP: the format has no index files. */
int index_update_run(struct index_update *x, const struct snapshot *s, struct error *e);
