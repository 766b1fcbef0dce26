/* SPDX-License-Identifier: Zlib */
/* folder: a folder of maps that is made of another one, map by map. */
#pragma once

#include "cli/offline/out.h"

struct folder {
	const char *name; /* as it was named; borrowed */
	size_t below;     /* of a map of the other one, where its path in that begins */
	int fd;           /* the caller's; -1: it is not there, as nothing is to be made */
};

/* Outside the sandbox. Makes the directory, unless dry. -EINVAL: it is the other one, or in it. */
int folder_open(const char *from, const char *to, bool dry, struct folder *ret, struct error *e);
/* Has the map of the other folder changed since the one here was made of it? */
bool folder_lacks(const struct folder *f, const struct offline *t);
/* out_begin for what is to be made of it, in a directory that is made if need be. Takes held for
 * what stands there. */
int folder_begin(const struct folder *f, const struct offline *t, const struct vfs_options *how,
	struct out *ret, struct error *e);
