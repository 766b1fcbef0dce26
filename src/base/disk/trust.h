/* SPDX-License-Identifier: Zlib */
/*
 * trust: check whether a file beside a map may be believed.
 *
 * Any user with write access to the directory of a map can put a journal, a marker or a prepared
 * directory there. A trusted file is a regular file with one link, or a directory. It belongs to
 * this user or, if this user is root, to the map's owner. Group and others may write to it only if
 * they may write to the map. Some file systems choose the owner of all files. There, the owner of a
 * file that we create counts as this user, too.
 */
#pragma once

#include <sys/stat.h>

#include "base/error.h"

struct trust {
	int dirfd; /* directory of the map; borrowed */
	uid_t uid; /* owner, group and mode of the map */
	gid_t gid;
	mode_t mode;
};

void trust_init(struct trust *t, int dirfd, const struct stat *map);
/* Check a name below t->dirfd. Returns 0; -EPERM if it is not trusted: e has the reason as the end
 * of a sentence ("has 2 hard links"); -ENOENT or another errno of fstatat: e has "NAME: ...". */
int trust_check_name(const struct trust *t, const char *name, struct error *e);
/* Open a trusted file below t->dirfd, with O_CLOEXEC, O_NOFOLLOW and O_NONBLOCK besides the flags.
 * Returns a descriptor, or -errno as trust_check_name (-EPERM for a symbolic link). If the file is
 * trusted but cannot be opened, e has no name ("cannot open: ..."). */
int trust_open(const struct trust *t, const char *name, int flags, struct error *e);
