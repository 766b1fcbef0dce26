/* SPDX-License-Identifier: Zlib */
/* mounted: the map or the folder of maps at a mount point. Each function calls the one of the same
 * name in vfs.h or folder.h; _save_to_end is vfs_save_before_unmount, _keep vfs_undo_discard. */
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
