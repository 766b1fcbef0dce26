/* SPDX-License-Identifier: Zlib */
/* many: visit the named maps, and the maps in named folders, on all processors in parallel. */
#pragma once

#include "base/buffer.h"
#include "vfs/offline/offline.h"

/* Visit one open map. Runs on any thread, for several maps at a time. Append the output to out,
 * which is printed in the order of the maps. Before a failure, report it in out or on stderr. */
typedef int (*many_visit)(void *arg, struct offline *t, struct buffer *out);

struct many {
	many_visit visit;
	/* Called like visit for a map that cannot be opened. If NULL, the error is printed on
	 * stderr, and is one of the errors. */
	int (*on_refused)(void *arg, const char *file, const struct error *why, struct buffer *out);
	void *arg;
	const struct vfs_options *options;
	bool debug;
	bool writes;              /* maps are also saved; the output is the report of that */
	bool skips_repeated;      /* visit a map only once, even if it is named several times */
	bool progress;            /* show on stderr, a terminal, how many maps are done */
	const char *folder_error; /* error message for a folder; NULL if its maps are visited */
	const struct sandbox_rule *extra_rules; /* other paths that the visits use */
	size_t n_extra_rules;
};

/*
 * Enter the sandbox and visit all maps. The maps of a folder are the regular files with an ending
 * of a format (formats/format.h), in subfolders, too. Skips hidden names, symbolic links and
 * sidecar files. A map of a folder is named by the folder and its path in it. Stops if the output
 * cannot be written. Returns 0, or the -errno of one of the errors, which all are reported.
 */
int many_visit_all(struct many *m, char **names, int n);
