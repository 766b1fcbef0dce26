/* SPDX-License-Identifier: Zlib */
/* When a save runs. */
#pragma once

#include "vfs/tree/call.h"
#include "vfs/volume/report.h"

/* For a volume of volume_create: writes the empty map, so that the file is one from the begin. */
int vfs_create_map(struct vfs *v, struct error *e);
/* A save; done() gets its report on the owner's thread (the report is done's to finish). */
typedef void (*vfs_saved)(void *arg, struct report *report);
void vfs_save(struct vfs *v, vfs_saved done, void *arg);
/* Save before an unmount that can still be refused. It also copies out the files that only the
 * mount holds; report.unrescued if one cannot be. */
void vfs_save_to_end(struct vfs *v, vfs_saved done, void *arg);

/* From now on the end of the mount throws away what is not saved, and with it the journal; done()
 * gets a report of what that is. vfs_keep takes it back. */
void vfs_discard(struct vfs *v, vfs_saved done, void *arg);
void vfs_keep(struct vfs *v);

/*
 * The mount is gone: apply what was closed, save, copy out what would vanish (NAME.mapfs-left), and
 * report. Runs the pool until all is done, so it returns with the result.
 */
void vfs_end(struct vfs *v, struct report *report);
