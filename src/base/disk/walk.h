/* SPDX-License-Identifier: Zlib */
/*
 * walk: the files in and below a directory. Symbolic links are not followed. Unlike fts(3), which
 * takes a directory that cannot be read to its end for a shorter one, it reports every failure.
 */
#pragma once

#include <stdbool.h>

#include "base/disk/names.h"

struct walk {
	/* Is the file wanted, or is the directory to be entered? */
	bool (*wanted)(const char *name, bool is_directory);
	/* Called for each directory that cannot be read to its end, and each entry that cannot be
	 * looked at; the walk goes on. What was removed meanwhile is no failure. */
	void (*failed)(void *arg, const char *path, int r);
	void *arg;
	bool stays; /* mounts below the directory are not entered, nor asked for anything */
};

/* Add the path of each regular file that is wanted; it begins with `top`. Files of a directory that
 * failed are added as far as they were read. -ENOMEM: some are missing. */
int walk_files(const struct walk *w, const char *top, struct names *ret);
