/* SPDX-License-Identifier: Zlib */
/* moved: which objects of a directory stand elsewhere among the others than they did. */
#ifndef CLI_MERGING_MOVED_H
#define CLI_MERGING_MOVED_H

#include "cli/merging/merged.h"

/* Sets merged.moved of those of x that base and ours have: as few as explain the order in ours.
 * -ENOMEM. */
int moved_find(struct merged *x);

#endif
