/* SPDX-License-Identifier: Zlib */
/* disk: look up names in the folder on disk. Crosses no mount points, shows no links to folders. */
#pragma once

#include "vfs/folder/table.h"

/* A file or directory that was found in the folder. */
struct found {
	bool dir;       /* a folder, not a map */
	bool read_only; /* it, or the directory of a map, is not writable, or -o ro */
	bool secret;    /* a map that this user cannot read */
	struct stat st; /* of the target if it is a link */
};

/* May the name be shown? Hidden files and sidecar files may not. */
bool disk_shown(const char *name);
/* Does the name have the ending of a map of any format? */
bool disk_is_map(const char *name);

/* Open a level's directory, with O_PATH if `path` is set. Returns a descriptor or -errno.
 * -ENOENT, -ENOTDIR, -ELOOP: the directory is gone. -EXDEV: something is mounted on it. */
int disk_open(const struct folder *f, const struct level *l, bool path);
/* Look up a name in the directory l, which is open as dirfd. -ENOENT: nothing to show. */
int disk_look(const struct folder *f, const struct level *l, int dirfd, const char *name,
	struct found *ret);
/* Open the directory l, and look up a name in it. */
int disk_find(const struct folder *f, const struct level *l, const char *name, struct found *ret);
/* Open the directory of a link's target, which the caller closes, and return the target's name in
 * it. Any thread. -EINVAL: not a link. -ENOENT: the target is missing, or outside the folder. */
int disk_target(const struct folder *f, const struct level *l, const char *name, int *ret_dirfd,
	char ret_name[NAME_MAX + 1]);

/* Return a reference to the descriptor that a directory's open maps share; a new one if another
 * directory has the name now. Owner's thread. */
int shared_dir_get(const struct folder *f, struct level *l, struct shared_dir **ret);
void shared_dir_unref(struct shared_dir *d); /* owner's thread */
