/* SPDX-License-Identifier: Zlib */
/*
 * folder: a folder of maps as one tree. Each map in the folder, or in a folder below it, is shown
 * as a directory with the name of its file. The contents of that directory are a vfs of their own.
 *
 * The folder has two kinds of directories: real ones (struct level) and those of maps (struct map).
 * They show what is on disk now: the folder caches only inode numbers, and listings for seconds.
 * Their attributes are brief (struct call), and looking at them does not open a map.
 *
 * The first call for something in a map opens it. Its first change locks it. Up to 32 unused maps
 * stay open; beyond that the folder closes the least recently used one. A map that cannot be opened
 * shows a file error.txt.
 *
 * Inode numbers: level n has VFS_ROOT_INO + n. Each map has the range of numbers of its index,
 * which is at least 1 (entry_ino). If another program replaces or changes a map's file, the map
 * gets a new index, and the old numbers give -ESTALE, which makes the kernel look up the path
 * again. A map with unsaved changes keeps its index, and its save reports the external change.
 *
 * A directory with something mounted on it is not shown, so that mapfs never looks into its own
 * mount. A link to a map is followed if its target is in the folder; a link to a folder is not.
 *
 * All functions run on the owner's thread, like those of the vfs.
 */
#pragma once

#include "vfs/vfs.h"
#include "vfs/volume/options.h"

struct folder;

/* Create a folder. Takes over dirfd, also on failure. path is the folder's absolute path without
 * symbolic links, to resolve absolute links. Borrows path, o and its strings, pool and host until
 * folder_destroy. o->budget must be set. */
int folder_create(int dirfd, const char *path, const struct vfs_options *o, struct pool *pool,
	struct vfs_host *host, struct folder **ret, struct error *e);
void folder_destroy(struct folder *f); /* after folder_end, when the pool is empty */

/* These do for all maps what the functions of the same names in vfs.h and save/run.h do for one;
 * folder_save with to_end what vfs_save_before_unmount does. folder_writers calls fn for each file
 * that is open for writing. done() runs during the call or later, and has to finish its report. The
 * caller of folder_end has initialized the report. A report has the lines of each map together,
 * prefixed with its path, and the most serious code. folder_discard lists what folder_end drops. */
void folder_submit(struct folder *f, struct call *c); /* reply() frees c, during it or later */
void folder_forget(struct folder *f, uint64_t ino, uint64_t n); /* the kernel drops n lookups */
void folder_writers(struct folder *f, void (*fn)(void *arg, uint64_t ino), void *arg);
int folder_timeout(struct folder *f); /* milliseconds until folder_tick is due, or -1 */
void folder_tick(struct folder *f);   /* sync journals, free listings */
void folder_save(struct folder *f, bool to_end, vfs_saved done, void *arg);
void folder_discard(struct folder *f, vfs_saved done, void *arg);
void folder_keep(struct folder *f);                       /* undo folder_discard */
void folder_end(struct folder *f, struct report *report); /* save or drop all, and wait */
