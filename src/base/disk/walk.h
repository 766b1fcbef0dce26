/* SPDX-License-Identifier: Zlib */
/*
 * walk: list the files in and below a directory. Symbolic links below it are not followed. Unlike
 * fts(3), which ends a directory silently when reading it fails, walk reports every failure.
 */
#pragma once

#include <stdbool.h>

#include "base/disk/names.h"

struct walk {
	/* Is the regular file wanted, or is the directory to be entered? name: last component. */
	bool (*is_wanted)(const char *name, bool is_directory);
	/* Called with a -errno for each directory that cannot be read completely, and for each
	 * entry whose type cannot be determined; the walk continues. An entry that is removed
	 * during the walk is no failure, but a missing `top` is. Neither function is NULL. */
	void (*on_failure)(void *arg, const char *path, int r);
	void *arg;
	/* Do not enter mounts below the directory, and do not send requests to them. */
	bool one_file_system;
};

/* Add the path of each wanted regular file, beginning with `top`, unordered. If reading a directory
 * fails, the files found before are added. Returns 0, or -ENOMEM; then some are missing. */
int walk_files(const struct walk *w, const char *top, struct names *ret);
