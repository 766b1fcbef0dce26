/* SPDX-License-Identifier: Zlib */
/* target: resolve the argument of `mapfs -u` or `mapfs status`: a mount point, or a map or folder
 * that is mounted somewhere. No mount is accessed, since it may not answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/disk/mountinfo.h"

struct target {
	const char *argument; /* the name given by the user; borrowed; NULL if found without one */
	/* If entry.is_mapfs is false, nothing is mounted, and only source is set: the file or
	 * folder, absolute and without symbolic links. */
	struct mount_entry entry;
};

/* A list of targets. Initialize with zeros. */
struct targets {
	struct target *all;
	size_t n, room;
};

/* Add the targets of a name: the mount at that path, each mount of that file or folder, or the file
 * if it is not mounted. NULL adds all mounts of mapfs, perhaps none. Mounts below another one at
 * the same point do not count. Returns 0, -ENOENT if the name is none of these, such as a folder
 * that is not mounted, or another -errno. */
int targets_add(struct targets *t, const char *name);
/* Add, without an argument, the maps that journals_add_maps (journals.h) finds with a fitting
 * journal in a folder that is not mounted. to_show: add their mounts instead, if they are mounted;
 * if there are no maps, add the folder. Returns 0, -ENOENT if nothing was added, or the -errno of
 * journals_add_maps. */
int targets_add_below(struct targets *t, const char *folder, bool to_show);
/* Add a file or folder that is not mounted; path (copied): absolute, no symbolic links. -ENOMEM. */
int targets_add_file(struct targets *t, const char *argument, const char *path);
void targets_finish(struct targets *t);

/* Is the mount of the entry still the topmost one at its mount point? */
bool target_is_mounted(const struct mount_entry *entry);
