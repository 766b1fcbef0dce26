/* SPDX-License-Identifier: Zlib */
/* journals: the journal of a map that no worker serves, for `mapfs -u` and `mapfs status`. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/disk/names.h"

struct journal_found {
	char file[NAME_MAX + 1]; /* its name, in the directory of the map */
	bool fits; /* the next mount replays it; otherwise it is for another content of the map */
};

/* Find the journal of the map at path: the one that fits, or else another that is trusted and not
 * set aside. Returns 1; 0, with a zeroed *ret, if there is none; or -errno. */
int journals_find(const char *path, struct journal_found *ret, struct error *e);

/* Add the map at path, or each map in and below the folder at path, if it has a journal (with
 * `fitting`: one that fits), or if its journals cannot be listed. Skips other file systems, and
 * folders without permission. Returns 0, or -errno if another one cannot be read; adds the rest. */
int journals_add_maps(const char *path, bool fitting, struct names *ret);

/* Remove the journal that fits, if there is one. Before that, call line() for each change in it:
 * the path in the map, and a text ("applied", see vfs/offline/recover.h). Returns 0, also without a
 * journal, -EBUSY if a mount uses it, or another -errno. */
int journals_discard(const char *path, void (*line)(void *arg, const char *path, const char *what),
	void *arg, struct error *e);
