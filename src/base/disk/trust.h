/* SPDX-License-Identifier: Zlib */
/*
 * trust: whose files beside a map are believed.
 *
 * Whoever may write to a map's directory can put a journal, a marker or a prepared directory there.
 * Believed is a regular file with one link (or a directory) that belongs to this user, and for root
 * to the map's owner, and that nobody else may write who may not write the map. Where a file system
 * gives every file an owner of its own choice, what we make there says who this user is.
 */
#pragma once

#include <sys/stat.h>

#include "base/error.h"

struct trust {
	int dirfd; /* borrowed */
	uid_t uid; /* of the map, like the rest */
	gid_t gid;
	mode_t mode;
};

/* map: what stat says of it. */
void trust_init(struct trust *t, int dirfd, const struct stat *map);
/* Of what has this name: 0, or -EPERM and the reason as the end of a sentence about the file;
 * -ENOENT where nothing has it. */
int trust_check_name(const struct trust *t, const char *name, struct error *e);
/* Opens a file of that kind below t->dirfd: a descriptor, or -errno (-EPERM as above). */
int trust_open(const struct trust *t, const char *name, int flags, struct error *e);
