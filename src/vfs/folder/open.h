/* SPDX-License-Identifier: Zlib */
/* open: maps of a folder that are open, and which of them stay so. */
#ifndef VFS_FOLDER_OPEN_H
#define VFS_FOLDER_OPEN_H

#include "vfs/folder/table.h"

enum opened_state { OPENED_SOON, OPENED, OPENED_FAILED };

struct opened {
	struct vfs_host host; /* first: what the map says is told with its path */
	struct folder *folder;
	struct map *map;
	char *path;             /* the map's, relative to the folder */
	struct shared_dir *dir; /* in which it is */
	enum opened_state state;
	struct vfs *v;                       /* OPENED */
	struct error why;                    /* FAILED */
	int64_t failed_ms;                   /* ... when */
	bool made;                           /* mkdir made it, and no save wrote into it since */
	unsigned calls;                      /* under way, of those that have no open file */
	struct call *waiting, **waiting_end; /* until it is open */
	struct opened_list *list;
	struct opened *older, *newer;
};

/* c waits until the map is open or has failed, and is submitted again then. */
void open_wait(struct folder *f, struct map *m, struct call *c);
/* It is used now: others are closed before it. */
void open_touch(struct folder *f, struct opened *o);
/* Closes what can be, of what is too much. */
void open_trim(struct folder *f);
/* A call that waits for nobody: frees it, and the map's vfs. */
void open_close(struct folder *f, struct opened *o);
/* May it be closed now? */
bool open_idle(const struct opened *o);
/* Does it hold what its file does not? */
bool open_changed(const struct opened *o);
/* vfs_writers, by paths from the folder. */
void open_writers(const struct opened *o, void (*fn)(void *arg, const char *path), void *arg);
/* All that are open, from NULL; NULL: the end. */
struct opened *open_next(const struct folder *f, const struct opened *o);

/* For mkdir: the map of this volume (taken over) is open. NULL: no memory. */
struct opened *open_made(
	struct folder *f, struct level *in, const char *name, struct volume *vol, struct error *e);

#endif
