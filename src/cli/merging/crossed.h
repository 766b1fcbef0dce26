/* SPDX-License-Identifier: Zlib */
/* crossed: objects that a side moved from one directory to another, as a layer to another group. */
#ifndef CLI_MERGING_CROSSED_H
#define CLI_MERGING_CROSSED_H

#include "cli/merging/merged.h"

/*
 * dirs are directories of one depth, in which what base has is matched and nothing that is new.
 * What a side has not where base has it is looked for in the others: by its name, which no other
 * one there has, or where it has none by its content; and alike. Such a one stands below where it
 * is to be then: where ours moved it, or else theirs. -ENOMEM.
 */
int crossed_find(struct merged *const *dirs, size_t n);

#endif
