/* SPDX-License-Identifier: Zlib */
/* walk: all that is in a tree, and what a pattern means in it. */
#pragma once

#include "vfs/offline/calls.h"

/*
 * Called with each entry, a directory before what is in it, names in order of their bytes. The path
 * is relative to the map's root. Returns 0, or WALK_PAST not to go into a directory, or a negative
 * errno, which ends the walk.
 */
enum { WALK_PAST = 1 };
typedef int (*walk_visit)(void *arg, const char *path, const struct offline_file *a);

/* From the entry at path, which is visited too ("" is the root). leave (may be NULL): a directory,
 * after what is in it. */
int offline_walk(
	struct offline *t, const char *path, walk_visit visit, walk_visit leave, void *arg);

/*
 * Every entry that path means: the one of that name, or else those that it matches as a pattern of
 * the shell (* ? [...], none of which stands for a slash or for a dot at the begin of a name).
 * -ENOENT: there is none.
 */
int offline_match(struct offline *t, const char *path, walk_visit visit, void *arg);
