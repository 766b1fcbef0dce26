/* SPDX-License-Identifier: Zlib */
/* mounted: the map or the folder of maps at a mount point. Each function does what the one of the
 * same name in folder.h does; mounted_save_to_end is folder_save with to_end. */
#pragma once

#include "vfs/folder/folder.h"
#include "vfs/vfs.h"

struct mounted {
	struct vfs *map;       /* NULL for a folder */
	struct folder *folder; /* NULL for a map */
};

void mounted_destroy(struct mounted *m);
void mounted_submit(struct mounted *m, struct call *c);
void mounted_forget(struct mounted *m, uint64_t ino, uint64_t n);
void mounted_writers(struct mounted *m, void (*fn)(void *arg, uint64_t ino), void *arg);
int mounted_timeout(struct mounted *m);
void mounted_tick(struct mounted *m);
void mounted_save(struct mounted *m, vfs_saved done, void *arg);
void mounted_save_to_end(struct mounted *m, vfs_saved done, void *arg);
void mounted_discard(struct mounted *m, vfs_saved done, void *arg);
void mounted_keep(struct mounted *m);
void mounted_end(struct mounted *m, struct report *report);
