/* SPDX-License-Identifier: Zlib */
/* hidden: what no file says but those that are not merged (merging.h: hidden); it is as in ours. */
#ifndef CLI_MERGING_HIDDEN_H
#define CLI_MERGING_HIDDEN_H

#include "cli/merging/merged.h"

/* What theirs changed of it is told, on stderr; what both changed in different ways is a conflict.
 * shown: the map, for messages. -errno. */
int hidden_decide(struct merge *m, const char *shown);

#endif
