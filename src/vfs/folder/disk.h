/* SPDX-License-Identifier: Zlib */
/* disk: what is in the folder. No mount and no link to a folder is ever crossed on the way. */
#pragma once

#include "vfs/folder/table.h"

/* What a name in the folder means. */
struct found {
	bool dir;       /* a folder; else a map */
	bool read_only; /* it cannot be written */
	bool secret;    /* a map that cannot be read */
	struct stat st; /* of a link's target */
};

/* Whether a name is ever shown: neither hidden nor mapfs's own. */
bool disk_shown(const char *name);
/* Is it called as a map is? */
bool disk_is_map(const char *name);

/* The directory, for its names to be read or files in it to be opened (an O_PATH one, where that
 * is enough): a descriptor or -errno. */
int disk_open(const struct folder *f, const struct level *l, bool path);
/* What stands at name in the directory, whose descriptor dirfd is; -ENOENT: nothing that is shown.
 */
int disk_look(const struct folder *f, const struct level *l, int dirfd, const char *name,
	struct found *ret);
/* ... with the directory opened for it. */
int disk_find(const struct folder *f, const struct level *l, const char *name, struct found *ret);
/* Of a link, the directory in which the file that it leads to lies (the caller closes it), and the
 * name there. -EINVAL: it is none, and lies where it stands. */
int disk_target(const struct folder *f, const struct level *l, const char *name, int *ret_dirfd,
	char ret_name[NAME_MAX + 1]);

/* One descriptor for all that is open in a directory; counted. On the owner's thread. */
int shared_dir_get(const struct folder *f, struct level *l, struct shared_dir **ret);
void shared_dir_unref(struct shared_dir *d);
