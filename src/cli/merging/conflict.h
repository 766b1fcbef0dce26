/* SPDX-License-Identifier: Zlib */
/* conflict: what both sides did to one thing in different ways. */
#ifndef CLI_MERGING_CONFLICT_H
#define CLI_MERGING_CONFLICT_H

#include "base/error.h"
#include "cli/merging/merged.h"

struct conflict {
	struct merged *x; /* NULL: `why` says it */
	char *why;        /* "changed by both: 3 cells, ..." */
	bool theirs;      /* theirs goes beside the map */
};

/* -ENOMEM. */
int conflict_add(struct merge *m, struct merged *x, bool theirs, const char *why, ...)
	PRINTF_LIKE(4, 5);
void conflicts_finish(struct merge *m);

#endif
