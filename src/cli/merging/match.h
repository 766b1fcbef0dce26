/* SPDX-License-Identifier: Zlib */
/* match: which files and directories of the three maps are the same. */
#ifndef CLI_MERGING_MATCH_H
#define CLI_MERGING_MATCH_H

#include "cli/merging/merged.h"

/* Makes m->root of the sides' roots. -ENOMEM. */
int match_all(struct merge *m);

#endif
