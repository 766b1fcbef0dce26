/* SPDX-License-Identifier: Zlib */
/* moved: which objects of a directory stand elsewhere among the others than they did. */
#ifndef CLI_MERGING_MOVED_H
#define CLI_MERGING_MOVED_H

#include "cli/merging/merged.h"

/* Sets merged.moved of those of the list: as few as explain why the numbers do not rise. -ENOMEM.
 */
int moved_settle(struct merged *const *list, const size_t *at, size_t n);
/* The same of the objects of a directory that base and ours have, by where they stood in base. */
int moved_find(struct merged *dir);

#endif
