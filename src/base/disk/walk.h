/* SPDX-License-Identifier: Zlib */
/*
 * walk: the files in and below a directory. Symbolic links below it are not followed. Unlike
 * fts(3), which ends a directory silently when reading it fails, walk reports every failure.
 */
#pragma once

#include <stdbool.h>

#include "base/disk/names.h"

struct walk {
	/* Is the file wanted, or is the directory to be entered? name is the last component. */
	bool (*wanted)(const char *name, bool is_directory);
	/* Called with a -errno for each directory that cannot be read to its end, and for each
	 * entry whose type cannot be found; the walk goes on. An entry that was removed during the
	 * walk is no failure, but a missing `top` is. */
	void (*failed)(void *arg, const char *path, int r);
	void *arg;
	/* Mounts below the directory are not entered, and only asked what the kernel answers for
	 * them: type and device. */
	bool stays;
};

/* Add the path of each regular file that is wanted, in no order; it begins with `top`. If reading a
 * directory fails, the files found before are added. -ENOMEM: some are missing. */
int walk_files(const struct walk *w, const char *top, struct names *ret);
