/* SPDX-License-Identifier: Zlib */
/*
 * dir: read a directory. Unlike readdir(3), dir_next distinguishes the end from a failure.
 *
 *	CLEANUP(dir_close) DIR *dir = dir_open(dirfd, ".", &r);
 *
 *	while (r == 0 && (d = dir_next(dir, &r)))
 *		r = use(d->d_name);
 */
#pragma once

#include <dirent.h>

#include "base/cleanup.h"

/* Open a directory below dirfd; follow symbolic links. Sets *r to 0 or -errno. NULL on failure. */
DIR *dir_open(int dirfd, const char *path, int *r);
/* Return the next entry other than "." and "..", valid until the next call. Returns NULL at the
 * end, with *r == 0, and on failure, with *r == -errno. */
const struct dirent *dir_next(DIR *dir, int *r);
void dir_close(DIR *dir);
DEFINE_CLEANUP(DIR, dir_close);
