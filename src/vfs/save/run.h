/* SPDX-License-Identifier: Zlib */
/* run: request a save, or the end of a mount. All on the owner's thread. */
#pragma once

#include "vfs/tree/call.h"
#include "vfs/volume/report.h"

/* Write the empty map of a volume from volume_create, so that the file is a valid map from the
 * beginning. Runs the pool until that is done. */
int vfs_create_map(struct vfs *v, struct error *e);
/* Called on the owner's thread, during the call or later. Has to finish or move *report before it
 * returns. */
typedef void (*vfs_saved)(void *arg, struct report *report);
void vfs_save(struct vfs *v, vfs_saved done, void *arg);
/* Save before an unmount that can still be refused. Also copies out the files that only the mount
 * holds, and sets report.unrescued if that fails for one. */
void vfs_save_before_unmount(struct vfs *v, vfs_saved done, void *arg);

/* Make vfs_end drop all unsaved changes and the journal; until then they stay. The report lists
 * them. */
void vfs_discard(struct vfs *v, vfs_saved done, void *arg);
/* Undo vfs_discard, before vfs_end. */
void vfs_undo_discard(struct vfs *v);

/* End the mount, after the kernel has unmounted it: finish pending changes, save, copy out the
 * files that would be lost (NAME.mapfs-left), and remove the journal if nothing needs it. Runs the
 * pool until all is done, so the report is complete on return. The caller has initialized it. */
void vfs_end(struct vfs *v, struct report *report);
