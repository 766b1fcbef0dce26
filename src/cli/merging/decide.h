/* SPDX-License-Identifier: Zlib */
/* decide: what becomes of each file and directory of three maps. */
#ifndef CLI_MERGING_DECIDE_H
#define CLI_MERGING_DECIDE_H

#include "cli/merging/merged.h"

/* Sets fate, content, bare and ending of everything below m->root, and finds the conflicts. mark: a
 * new layer shows each rectangle of cells that both sides changed. -ENOMEM. */
int decide_all(struct merge *m, bool mark);

#endif
