/* SPDX-License-Identifier: Zlib */
/*
 * steps: a merge, in this order, once the sides are read (item.h). Each is 0, -ENOMEM, or another
 * -errno where that is said.
 */
#pragma once

#include "tools/merge/merged.h"

/* Which files and directories of the three maps are the same: makes m->root of the sides' roots. */
int match_all(struct merge *m);
/* What in a directory has a name that means the same in all maps: its parts. */
int match_names(struct merge *m, struct merged *x);

/* Some facts are only in files that are not merged (tools/merge/schema.h: hidden): the result has
 * those of ours. Reports on stderr which of them theirs changed; one that both changed in different
 * ways is a conflict. shown: the map, for messages. -errno. */
int hidden_decide(struct merge *m, const char *shown);

/* Sets what stays, what is taken and made, and bare of everything below m->root, and finds
 * the conflicts. */
int decide_all(struct merge *m);

/*
 * Where the objects of each directory stand, and under which names: order, moved, now and later of
 * all objects. A save sorts them by the numbers in their names, so each object has a number behind
 * those of all before it.
 */
int order_all(struct merge *m);

/* Makes the decided changes in ours, file by file, as a user would in a mount. A change that the
 * map refuses is a conflict, and ours stays as it is there. Other failures are -errno, already
 * reported. */
int apply_all(struct merge *m);
/* For change_save of ours (change.h: refused); arg: the merge. */
bool apply_refused(void *arg, const struct oentry *u, const char *why);
