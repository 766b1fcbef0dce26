/* SPDX-License-Identifier: Zlib */
/* walk: visit the files of a map, all of them or those that match a pattern. */
#pragma once

#include "vfs/offline/calls.h"

/* Visits one entry. The path is relative to the map's root. In offline_walk, a directory comes
 * before its contents, and names are in the order of their bytes. Returns 0, WALK_PAST to skip the
 * contents of a directory, or -errno to end the walk. May not change the overlay. */
enum { WALK_PAST = 1 };
typedef int (*walk_visit)(void *arg, const char *path, const struct offline_file *a);

/* Visit the entry at path ("" is the root) and all entries below it. leave (may be NULL; returns 0
 * or -errno) is called for each directory after its contents, but not after WALK_PAST. */
int offline_walk(
	struct offline *t, const char *path, walk_visit visit, walk_visit leave, void *arg);

/* Visit the entry of that path or, if there is none, all entries that match it as a shell pattern.
 * The wildcards * ? [...] match neither a slash nor a dot at the start of a name. Does not visit
 * the contents of a directory that matches. -ENOENT: no match. */
int offline_match(struct offline *t, const char *path, walk_visit visit, void *arg);
