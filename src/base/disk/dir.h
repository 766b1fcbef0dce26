/* SPDX-License-Identifier: Zlib */
/*
 * dir: read a directory. readdir(3) returns NULL at the end and on failure alike; these tell which.
 *
 *	CLEANUP(dir_close) DIR *dir = dir_open(dirfd, ".", &r);
 *
 *	while (r == 0 && (d = dir_next(dir, &r)))
 *		r = use(d->d_name);
 */
#pragma once

#include <dirent.h>

#include "base/cleanup.h"

/* Open a directory below dirfd. NULL on failure; *r is 0 or -errno. */
DIR *dir_open(int dirfd, const char *path, int *r);
/* The next entry other than "." and "..", valid until the next call. NULL at the end, and then *r
 * is 0, or on failure, and then it is -errno. */
const struct dirent *dir_next(DIR *dir, int *r);
void dir_close(DIR *dir);
DEFINE_CLEANUP(DIR, dir_close);
