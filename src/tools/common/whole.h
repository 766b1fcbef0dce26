/* SPDX-License-Identifier: Zlib */
/*
 * whole: common code of the commands that read maps and write changed ones: MAP [OUT] (in place
 * without OUT), a folder to another folder, several maps and folders with --in-place, and -n. Each
 * map is written all or nothing. Without a change, a map is not written in place. A map in a target
 * folder is kept if it is not older than its source. The report of a map is printed after it was
 * written.
 */
#pragma once

#include <pthread.h>

#include "base/buffer.h"
#include "formats/images.h"
#include "tools/common/whole_calls.h"
#include "vfs/offline/offline.h"

struct whole;

enum { WHOLE_FURTHER_MAX = 3 * IMAGES_DIRS_MAX + 2 };

/* One map while it is changed. */
struct whole_map {
	struct whole *whole;
	struct offline *tree;
	int dirfd;            /* descriptor of the directory of the named map; borrowed */
	struct buffer report; /* what was done; what was not done is printed at once */
	/* The map to write, if `change` made one instead of changing the tree; or NULL. */
	struct snapshot *map; /* owned by whole */
	bool is_incomplete;   /* a requested change was not made: OUTCOME_PARTIAL at least */
};

struct whole {
	char **names; /* MAP [OUT]; with in_place maps and folders; borrowed */
	int n_names;
	bool in_place;
	bool dry;      /* write nothing */
	bool no_limit; /* lift the bounds of work.h, for commands that have them */
	struct vfs_options options;
	bool debug; /* report what the kernel lacks for the sandbox */

	/* Change the tree of one map (vfs/offline/change.h), or set m->map. With dry, do not change
	 * the tree. Runs on any thread, for several maps at a time. On failure, e has the reason,
	 * or is empty if that was printed. */
	int (*change)(struct whole_map *m, struct error *e);
	/* Report a map that cannot be opened; or NULL: its error is printed on stderr. out: as in
	 * many.h. */
	void (*refused)(void *arg, const char *file, const struct error *why, struct buffer *out);
	void *arg; /* for change and refused */
	/* Other paths that the run reads or writes, besides the named maps; whole_run adds OUT. */
	struct sandbox_rule extra_rules[WHOLE_FURTHER_MAX];
	size_t n_extra_rules;

	char *single[2]; /* room for the names of a command that changes one map */
	/* Private to whole_run: the target of the maps of a folder, or of a single map. Both are
	 * NULL if maps are changed in place. */
	struct folder *folder;
	struct out *out;
	pthread_mutex_t lock; /* protects worst */
	enum outcome worst;
};

/* Is the name that of a folder? Outside the sandbox. */
bool whole_is_folder(const char *name);
/* Enter the sandbox, and change the named maps. Call it once. Returns the exit code. */
int whole_run(struct whole *w);
/* Let `change` read these images (NULL: none), whose directories are open. Call it before
 * whole_run, at most three times. */
void whole_use_images(struct whole *w, const struct images *images);
/* Implements whole_calls.say; arg is a struct whole_map. WHOLE_DONE goes to the report, other
 * events to standard error at once; WHOLE_LEFT sets is_incomplete. */
void whole_say(void *arg, enum whole_event what, const char *line);
/* Append a line to the report of a map, with the map's name if there may be several. */
void whole_report(struct whole_map *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
