/* SPDX-License-Identifier: Zlib */
/* mark: a layer that shows where both sides changed another one. */
#ifndef CLI_MERGING_MARK_H
#define CLI_MERGING_MARK_H

#include "cli/merging/cells.h"
#include "cli/merging/merged.h"

/* A layer CONFLICT behind this one, as if theirs had added it; nothing where the format has no such
 * layer. -ENOMEM. */
int mark_add(struct merge *m, struct merged *layer, const struct cells_mask *mask);

#endif
