/* SPDX-License-Identifier: Zlib */
/*
 * vfs: one mounted map, independent of FUSE.
 *
 * The owner's thread calls all functions. The session fills in a struct call with an operation
 * (vfs_lookup, ...) and its arguments, and submits it. reply() is called exactly once, during
 * vfs_submit or later, on the owner's thread or, for reads, on a worker thread. A call that must
 * wait is kept, with copies of its borrowed arguments, and runs again from its beginning.
 */
#pragma once

#include "vfs/ops/ops.h"
#include "vfs/save/run.h"

struct volume;

/* Create the vfs of a map, and replay its journal. The calling thread becomes the owner. Takes over
 * the volume, except on failure. Borrows pool and host until vfs_destroy. */
int vfs_create(struct volume *volume, struct pool *pool, struct vfs_host *host, struct vfs **ret,
	struct error *e);
/* Destroys the volume, too. Call it after vfs_end or while vfs_idle, with the pool drained. */
void vfs_destroy(struct vfs *v);

/* Get `done` (*ret) and `arg` (returned) for a save that notes its report to host, borrowed until
 * then, and answers c. If memory is exhausted, answer c and return NULL. */
void *vfs_saved_for(struct vfs_host *host, struct call *c, vfs_saved *ret);

/* Further operations. */
void vfs_fsyncdir(struct vfs *v, struct call *c);    /* ino; root: save; others: sync the journal */
void vfs_getxattr(struct vfs *v, struct call *c);    /* ino name -> out */
void vfs_removexattr(struct vfs *v, struct call *c); /* ino name; drops refused content */
void vfs_statfs(struct vfs *v, struct call *c);      /* -> statvfs */

/* Lock a VOLUME_UNLOCKED map (volume_lock), before the first call that can change it (vfs_changes).
 * -ESTALE: another program or mount has changed the file. */
int vfs_lock(struct vfs *v, struct error *e);
/* Is every change in the file, so that there are no drafts or scratch files either? Ignores modes
 * and owners, which are in no file. False also during a change, after a conflict, and while a new
 * map is empty. */
bool vfs_unchanged(const struct vfs *v);

/* Can the map be closed (vfs_destroy) and opened again unnoticed? True if it is not in use and a
 * new mount would show the same. The kernel may know its inode numbers: inode_recall finds them. */
bool vfs_idle(const struct vfs *v);

/* Call fn for each file that has a name and is open for writing: its mapped pages may be dirty. */
void vfs_writers(struct vfs *v, void (*fn)(void *arg, uint64_t ino), void *arg);

int vfs_timeout(struct vfs *v); /* milliseconds until vfs_tick is due, or -1 */
void vfs_tick(struct vfs *v);   /* sync the journal, if that is due */
