/* SPDX-License-Identifier: Zlib */
/*
 * many: the maps that are named, and those in folders that are named, looked at by all processors.
 */
#pragma once

#include "base/buffer.h"
#include "vfs/offline/offline.h"

/* One map, on a thread of its own at a time, open for reading. What is to be printed on stdout is
 * added to out; it is printed in the order of the maps. Returns 0, or -errno: something was told.
 */
typedef int (*many_visit)(void *arg, struct offline *t, struct buffer *out);

struct many {
	many_visit visit;
	/* May be NULL: a map that cannot be opened is a line on stderr. */
	int (*refused)(void *arg, const char *file, const struct error *why, struct buffer *out);
	void *arg;
	const struct vfs_options *how;
	bool debug;
	bool writes;        /* maps are saved, too; what is printed is the report of that */
	bool once;          /* a map is visited once, however often it is named */
	bool progress;      /* stderr is a terminal, and says how many are done */
	const char *single; /* why a folder is refused; NULL: its maps are visited */
	const struct sandbox_rule *further; /* what is read besides maps */
	size_t n_further;
};

/*
 * Enters the sandbox. In a folder the maps are the regular files with an ending of a format
 * (formats/format.h), also in folders below; hidden names, links and what mapfs itself leaves
 * beside maps are passed over. Each is called by the name of the folder and its path in it. Returns
 * 0, or the -errno of something that went wrong, which was told.
 */
int many_visit_all(struct many *m, char **names, int n);
