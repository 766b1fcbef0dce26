/* SPDX-License-Identifier: Zlib */
/* update: write the rebuilt index files of a map (tools/index/index.h) into its tree. */
#pragma once

#include "vfs/offline/change.h"

struct index_update {
	struct offline *tree;
	bool dry;     /* write nothing; print the rows that would change */
	bool exact;   /* remove rows without a source */
	bool verbose; /* print changed rows, and rows kept without a source */
	bool unread;  /* result: a source cannot be read, and its row is kept */
	size_t n_put; /* result: number of index files written */
};

/* Rebuild the index files from the other files of s, and write those that change. Prints rows on
 * stdout, and unreadable or incomplete sources on stderr. -EOPNOTSUPP: the format has no index
 * files. */
int index_update_run(struct index_update *x, const struct snapshot *s, struct error *e);
