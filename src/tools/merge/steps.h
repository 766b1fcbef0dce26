/* SPDX-License-Identifier: Zlib */
/* steps: the steps of a merge. Read the sides (merge_item.h) first, then call match_all,
 * hidden_decide, decide_all, removals_check, order_all and apply_all. Each returns 0 or -ENOMEM,
 * and another -errno only if its comment says so. */
#pragma once

#include "tools/merge/merge_node.h"

/* Match the files and directories of the three maps: build m->root from the roots of the sides. */
int match_all(struct merge *m);
/* For match_all and hidden_decide: match the children of x that are no objects, by name. */
int match_names(struct merge *m, struct merge_node *x);

/* Compare the files that are not merged (tools/merge/schema.h: hidden), which the result has from
 * ours. Reports on stderr which of them theirs changed. A file that both changed differently is a
 * conflict. shown: the map's name in messages. -errno. */
int hidden_decide(struct merge *m, const char *shown);

/* Decide each node below m->root (merge_node.is_kept to bare, is_moved). Adds conflicts. -errno. */
int decide_all(struct merge *m);

/* Add a conflict for each file that one side has and the other side lists as removed
 * (schema.h: removals). The file stays. */
int removals_check(struct merge *m);

/* Decide the order and the names of the objects of each directory: set order, is_moved, old_name
 * (while ours is changed) and new_name (in the saved map). A save sorts objects by the numbers in
 * their names, so old_name of each object has a higher number than those before it. */
int order_all(struct merge *m);

/* Apply the decided changes to ours, as a user of a mount would. If one is refused, or theirs
 * cannot be read, the file of ours stays: a conflict. Prints any other failure. -errno. */
int apply_all(struct merge *m);
/* The callback change_save.refused (vfs/offline/change.h) of the save of ours after apply_all; arg
 * is the merge. Adds a conflict and returns true: the save leaves the file out. Returns false if
 * the merge did not write the entry, or memory is exhausted: the save fails. */
bool apply_refused(void *arg, const struct oentry *u, const char *why);
