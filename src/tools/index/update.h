/* SPDX-License-Identifier: Zlib */
/* update: write the rebuilt index files of a map (tools/index/index.h) into its tree. */
#pragma once

#include "vfs/offline/change.h"

struct index_update {
	struct offline *tree; /* gets the index files; the caller saves it */
	bool dry;             /* write nothing; print the rows that would change */
	bool exact;           /* remove rows without a source */
	bool verbose;         /* print changed rows, and rows kept without a source */
	bool unread;          /* result, zero at first: a source cannot be read; its row is kept */
	size_t n_put;         /* result, zero at first: number of index files put into the tree */
};

/* Rebuild the index files from the other files of s, the map of x->tree, and put those that change
 * into x->tree. Prints rows on stdout, and unreadable or incomplete sources on stderr. -EOPNOTSUPP:
 * the format has no index files. */
int index_update_run(struct index_update *x, const struct snapshot *s, struct error *e);
