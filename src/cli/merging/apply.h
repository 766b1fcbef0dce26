/* SPDX-License-Identifier: Zlib */
/* apply: what was decided is done to ours, file by file, as somebody would in a mount. */
#ifndef CLI_MERGING_APPLY_H
#define CLI_MERGING_APPLY_H

#include "cli/merging/merged.h"

/* After order_all. What the map does not take is a conflict, and stays as ours has it. Other
 * failures are -errno, and were told. */
int apply_all(struct merge *m);
/* The file of theirs, or what came of both, with the names that `name` gives; the caller's. */
int apply_content(struct merge *m, struct merged *x, const char *(*name)(const struct merged *x),
	struct bytes **ret);

#endif
