/* SPDX-License-Identifier: Zlib */
/*
 * whole: what commands have in common that read maps and write them anew: MAP [OUT], a folder that
 * becomes another, several maps and folders with --in-place, and -n. Each map is written all or
 * nothing, or, where nothing is to be done in it, not at all; what was done is told once it is.
 */
#pragma once

#include <pthread.h>

#include "base/buffer.h"
#include "formats/images.h"
#include "tools/common/whole_calls.h"
#include "vfs/offline/offline.h"

struct whole;

enum { WHOLE_FURTHER_MAX = 3 * IMAGES_DIRS_MAX + 2 };

/* One map on its way. */
struct whole_map {
	struct whole *whole;
	struct offline *t;
	int beside;           /* the directory of the map that was named */
	struct buffer report; /* lines of what is done; lines of what is not are told at once */
	/* What change made instead of changing the tree: the map that is to be written; or NULL. */
	struct snapshot *map;
	bool left; /* something that was asked for stays as it was */
};

struct whole {
	char **names; /* MAP [OUT]; with in_place maps and folders; borrowed */
	int n_names;
	bool in_place;
	bool dry;      /* nothing is written */
	bool no_limit; /* of the work (work.h), for a command that has such limits */
	struct vfs_options options;
	bool debug; /* report what the kernel lacks for the sandbox */

	/* Change the tree of one map (vfs/offline/change.h), or make a map of it. With dry the tree
	 * stays as it is. Runs on any thread, for several maps at a time. */
	int (*change)(struct whole_map *m, struct error *e);
	void *arg; /* for change */
	/* Other paths that the run reads or writes, besides the named maps; whole_run adds OUT. */
	struct sandbox_rule further[WHOLE_FURTHER_MAX];
	size_t n_further;

	/* Set by whole_run while it runs: where the maps of a folder go, or the one map. Both are
	 * NULL if maps are changed in place. */
	struct folder *folder;
	struct out *out;
	pthread_mutex_t lock; /* over worst */
	enum outcome worst;
};

/* Enter the sandbox, and read and write the maps that are named. Returns the exit code. */
int whole_run(struct whole *w);
/* Let `change` read these images, whose directories are open. Call it before whole_run, at most
 * three times. */
void whole_use_images(struct whole *w, const struct images *images);
/* struct whole_calls's, of a struct whole_map. */
void whole_tell(void *arg, enum whole_said what, const char *line);
/* A line for the report. */
void whole_report(struct whole_map *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
