/* SPDX-License-Identifier: Zlib */
/* opened: the open maps of a folder, and which of them are closed first. */
#pragma once

#include "vfs/folder/table.h"

/* OPENED_SOON: being loaded on a worker thread. OPENED_FAILED: shows error.txt. */
enum opened_state { OPENED_SOON, OPENED, OPENED_FAILED };

struct opened {
	struct vfs_host host; /* must be first; adds the path to notes and progress */
	struct folder *folder;
	struct map *map;
	char *path;             /* of the map, relative to the folder */
	struct shared_dir *dir; /* the directory of the map */
	enum opened_state state;
	struct vfs *v;        /* set in OPENED */
	struct error why;     /* set in OPENED_FAILED */
	int64_t failed_ms;    /* time of the failure */
	bool made;            /* created by mkdir in this mount */
	unsigned calls;       /* running calls without a handle, and other users: keep it open */
	struct calls waiting; /* calls that wait until it is open */
	void (*again)(struct folder *f, struct call *c); /* continues a waiting call */
	struct opened_list *list;                        /* folder.recent or folder.held */
	TAILQ_ENTRY(opened) siblings;
};

/* Create m->opened, in the state OPENED_SOON and the most recently used, for open.h to load.
 * opened_close frees it. -ENOENT: its directory was removed. */
int opened_new(struct folder *f, struct map *m, struct opened **ret);
/* Mark the map as the most recently used one, and move it to folder.recent. */
void opened_touch(struct folder *f, struct opened *o);
/* If folder.recent has too many maps, close some of the least recently used ones. Those that are
 * not idle move to folder.held, and stay open. */
void opened_trim(struct folder *f);
/* Close all idle maps of folder.recent but the last used, if descriptors are about to run out. */
void opened_make_room(struct folder *f);
/* Close an idle map: free it and its vfs. Frees o->map, too, if that was replaced and is unused. */
void opened_close(struct folder *f, struct opened *o);
/* May the map be closed now? No while it is in use, has changes, or must keep inode numbers. */
bool opened_idle(const struct opened *o);
/* Has the map changes that are not in its file? */
bool opened_changed(const struct opened *o);
/* Iterate over both lists, from NULL to NULL. To close or touch o, get the next map first. */
struct opened *opened_next(const struct folder *f, const struct opened *o);
