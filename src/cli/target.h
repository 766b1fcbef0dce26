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
	const char *shown; /* the argument; borrowed; NULL: the target was not named */
	/* If entry.mapfs is false, nothing is mounted, and only source is set: the file, absolute
	 * and without symbolic links. */
	struct mount_entry entry;
};

struct targets {
	struct target *all;
	size_t n, room;
};

/* Add what a name means: the mount at it, every mount of the file or folder that it names, or the
 * file that is not mounted; NULL means all mounts of mapfs. -ENOENT: it is none of these. */
int targets_add(struct targets *t, const char *name);
/* Add the maps in and below a folder that is not mounted which have a journal that fits; or_itself:
 * if there are none, the folder. -ENOENT if nothing was added; another -errno if a folder cannot be
 * read to its end: the maps that were found are added. */
int targets_add_below(struct targets *t, const char *folder, bool or_itself);
/* Add a file that is not mounted; path is absolute and without symbolic links. */
int targets_add_file(struct targets *t, const char *shown, const char *path);
void targets_finish(struct targets *t);

/* Is the mount of the entry still the topmost one at its mount point? */
bool target_is_mounted(const struct mount_entry *entry);
