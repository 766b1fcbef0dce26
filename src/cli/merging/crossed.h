/* SPDX-License-Identifier: Zlib */
/* crossed: objects that a side moved from one directory to another, as a layer to another group. */
#ifndef CLI_MERGING_CROSSED_H
#define CLI_MERGING_CROSSED_H

#include "cli/merging/merged.h"

/*
 * dirs are directories of one depth, in which what base has is matched and nothing that is new.
 * What a side has not where base has it is looked for in the others: by its content, which no other
 * one there has (equal); or else by its name, which no other one there has, and alike. Such a one
 * stands below where it is to be then: where ours moved it, or else theirs. -ENOMEM.
 */
int crossed_find(struct merged *const *dirs, size_t n, bool equal);
/* After both: where one is otherwise now than in base, and what it was stands in another directory,
 * it is in doubt. -ENOMEM. */
int crossed_doubt(struct merged *const *dirs, size_t n);

#endif
