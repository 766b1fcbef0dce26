/* SPDX-License-Identifier: Zlib */
/* mounted: the map or the folder of maps at a mount point. All functions run on the owner's thread.
 * done() runs during the call or later, and has to finish its report. */
#pragma once

#include "vfs/folder/folder.h"
#include "vfs/vfs.h"

struct mounted {
	struct vfs *map;       /* NULL for a folder */
	struct folder *folder; /* NULL for a map */
};

void mounted_destroy(struct mounted *m); /* after mounted_end, when the pool is empty */
void mounted_submit(struct mounted *m, struct call *c); /* reply() runs during it or later */
void mounted_forget(struct mounted *m, uint64_t ino, uint64_t n); /* the kernel drops n lookups */
/* Call fn for each file that is open for writing. */
void mounted_writers(struct mounted *m, void (*fn)(void *arg, uint64_t ino), void *arg);
int mounted_timeout(struct mounted *m); /* milliseconds until mounted_tick is due, or -1 */
void mounted_tick(struct mounted *m);   /* sync journals, free listings */
void mounted_save(struct mounted *m, vfs_saved done, void *arg);
/* Save before an unmount that can still be refused; copy out the files that only the mount has. */
void mounted_save_to_end(struct mounted *m, vfs_saved done, void *arg);
void mounted_discard(struct mounted *m, vfs_saved done, void *arg); /* mounted_end drops changes */
void mounted_keep(struct mounted *m);                               /* undo mounted_discard */
/* Save or drop all changes, and wait for that. The caller has initialized the report. */
void mounted_end(struct mounted *m, struct report *report);
