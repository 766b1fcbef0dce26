/* SPDX-License-Identifier: Zlib */
/*
 * target: what the argument of `mapfs -u` or `mapfs status` means: a mount point, or the map or
 * folder that is mounted somewhere. No mount is touched.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/disk/mountinfo.h"

struct target {
	const char *shown; /* the argument; borrowed; NULL: there was none of that name */
	/* mapfs: it is mounted; else source is the file alone, without symbolic links. */
	struct mount_entry entry;
	bool inside; /* the current directory was in it */
};

struct targets {
	struct target *all;
	size_t n, room;
};

/* Adds what name means: the mount at it, or every mount of the file or folder that it names, or the
 * file that is not mounted. -ENOENT: it is none of these. */
int targets_add(struct targets *t, const char *name);
/* Of a folder that is not mounted, its maps with a journal that fits, for which all that is below
 * it is looked through. -ENOENT: there is none. */
int targets_add_below(struct targets *t, const char *folder);
/* Adds what is not mounted; path is without symbolic links. */
int targets_add_file(struct targets *t, const char *shown, const char *path);
/* Adds all mounts of mapfs. */
int targets_add_all(struct targets *t);
void targets_finish(struct targets *t);
