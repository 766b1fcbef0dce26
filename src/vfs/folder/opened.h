/* SPDX-License-Identifier: Zlib */
/* opened: the maps of a folder that are open, and which of them stay so. */
#pragma once

#include "vfs/folder/table.h"

enum opened_state { OPENED_SOON, OPENED, OPENED_FAILED };

struct opened {
	struct vfs_host host; /* first: what the map says is told with its path */
	struct folder *folder;
	struct map *map;
	char *path;             /* the map's, relative to the folder */
	struct shared_dir *dir; /* in which it is */
	enum opened_state state;
	struct vfs *v;        /* OPENED */
	struct error why;     /* FAILED */
	int64_t failed_ms;    /* ... when */
	bool made;            /* mkdir made it, and no save wrote into it since */
	unsigned calls;       /* under way, of those that have no open file */
	struct calls waiting; /* until it is open */
	void (*again)(struct folder *f, struct call *c); /* ... and then */
	struct opened_list *list;
	TAILQ_ENTRY(opened) beside;
};

/* m is open from now on, or about to be: OPENED_SOON. -ENOENT: its directory is gone. */
int opened_new(struct folder *f, struct map *m, struct opened **ret);
/* It is used now: others are closed before it. */
void opened_touch(struct folder *f, struct opened *o);
/* Closes what can be, of what is too much. */
void opened_trim(struct folder *f);
/* A map was opened. If descriptors are about to run out, close every other one that can be closed.
 */
void opened_make_room(struct folder *f);
/* A call that waits for nobody: frees it, and the map's vfs. */
void opened_close(struct folder *f, struct opened *o);
/* May it be closed now? */
bool opened_idle(const struct opened *o);
/* Does it hold what its file does not? */
bool opened_changed(const struct opened *o);
/* All that are open, from NULL; NULL: the end. */
struct opened *opened_next(const struct folder *f, const struct opened *o);
