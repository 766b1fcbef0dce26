/* SPDX-License-Identifier: Zlib */
/*
 * vfs: the mounted tree, knowing nothing of FUSE.
 *
 * One thread, the owner, calls everything here. An operation is a struct call: the front fills in
 * the arguments, names the operation (vfs_lookup ...) and gets reply() exactly once, at once or
 * later, on the owner's thread or (plain reads) on a worker's. Operations that must wait for a node
 * or for a save are kept and run again from their beginning; vfs_submit copies what they borrowed.
 */
#pragma once

#include "vfs/ops/ops.h"
#include "vfs/save/run.h"

struct volume;

/* Takes the volume, also on failure. */
int vfs_create(struct volume *volume, struct pool *pool, struct vfs_host *host, struct vfs **ret,
	struct error *e);
void vfs_destroy(struct vfs *v); /* after vfs_end and with the pool drained */

/* For a save that c waits for: what to give it as done and arg. NULL: no memory, and c is done. */
void *vfs_saved_for(struct vfs_host *host, struct call *c, vfs_saved *ret);

/* Further operations. */
void vfs_fsyncdir(struct vfs *v, struct call *c);    /* ino; of the root: save */
void vfs_getxattr(struct vfs *v, struct call *c);    /* ino name -> out */
void vfs_removexattr(struct vfs *v, struct call *c); /* ino name */
void vfs_statfs(struct vfs *v, struct call *c);      /* -> statvfs */

/* Comes before the first call that may change a map which is `unlocked`; see volume_lock. */
int vfs_lock(struct vfs *v, struct error *e);
/* Does the file hold all that was done to the map, drafts and scratch included? Modes and owners
 * that programs set are in no file. */
bool vfs_unchanged(const struct vfs *v);

/* Does nobody use the map, and would a mount of it from its files be the same? Then it can be
 * closed (vfs_destroy) and opened again, even if the kernel knows names of it: their numbers hold,
 * and inode_recall finds what they mean. */
bool vfs_idle(const struct vfs *v);

/* Files that are open for writing: their mapped pages may be dirty. Calls fn for each. */
void vfs_writers(struct vfs *v, void (*fn)(void *arg, uint64_t ino), void *arg);

/* Milliseconds until vfs_tick wants to be called (the journal's sync), or -1. */
int vfs_timeout(struct vfs *v);
void vfs_tick(struct vfs *v);
