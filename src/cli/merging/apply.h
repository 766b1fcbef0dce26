/* SPDX-License-Identifier: Zlib */
/* apply: what was decided is done to ours, file by file, as somebody would in a mount. */
#ifndef CLI_MERGING_APPLY_H
#define CLI_MERGING_APPLY_H

#include "cli/merging/content.h"

/* After order_all. What the map does not take is a conflict, and stays as ours has it. Other
 * failures are -errno, and were told. */
int apply_all(struct merge *m);

#endif
