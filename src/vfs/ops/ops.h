/* SPDX-License-Identifier: Zlib */
/* Operations on the mounted tree. */
#pragma once

#include "vfs/tree/inode.h"

/* Run the call now, or keep it until it can run. */
void vfs_submit(struct vfs *v, struct call *c);

/* Can the call be the first to change the map? False for calls that follow an open or a change. */
bool vfs_changes(const struct call *c);

/* Operations for call.op, which answer the call: arguments, then results after the arrow, in
 * struct call (tree/call.h). A new entry has st_mode, st_uid, st_gid of `set`, and one lookup. */
void vfs_lookup(struct vfs *v, struct call *c);      /* ino name -> attr; counts one lookup */
void vfs_getattr(struct vfs *v, struct call *c);     /* ino -> attr */
void vfs_setattr(struct vfs *v, struct call *c);     /* ino set mask [handle] -> attr */
void vfs_open(struct vfs *v, struct call *c);        /* ino flags -> opened keep_cache */
void vfs_create_file(struct vfs *v, struct call *c); /* ino name flags set -> attr opened */
void vfs_mkdir(struct vfs *v, struct call *c);       /* ino name set -> attr */
void vfs_unlink(struct vfs *v, struct call *c);      /* ino name */
void vfs_rmdir(struct vfs *v, struct call *c);       /* ino name */
void vfs_rename(struct vfs *v, struct call *c);      /* ino name to_ino to_name flags: NOREPLACE */
void vfs_read(struct vfs *v, struct call *c);        /* handle off size -> out */
void vfs_write(struct vfs *v, struct call *c);       /* handle off (not with O_APPEND) data size */
void vfs_fallocate(struct vfs *v, struct call *c);   /* handle off size; extends the file */
void vfs_flush(struct vfs *v, struct call *c);       /* handle; -EINVAL: the content is refused */
void vfs_release(struct vfs *v, struct call *c);     /* handle, which it frees */
/* handle, or ino. Stores the content, and syncs the journal; ignores a refusal. Without a writing
 * handle, it leaves out what another program has not closed yet. */
void vfs_fsync(struct vfs *v, struct call *c);
void vfs_readdir(struct vfs *v, struct call *c); /* ino off emit with_attributes */

/* Drop n lookups of ino, which the kernel has forgotten. */
void vfs_forget(struct vfs *v, uint64_t ino, uint64_t n);

/* For files in this directory. */

/* Find a directory whose names are about to change. -ENOTDIR, -ESTALE, -EROFS. */
int dir_find(struct vfs *v, uint64_t ino, struct inode **ret);
/* Get the snapshot and entry from which the format lists a directory. Returns false if it has no
 * meaning, or is unlinked. */
bool dir_source(const struct inode *dir, const struct snapshot **ret, entry_id *ret_id);
/* Does a replay know the entry, from base or journal? Not new files that were never closed. */
bool is_journaled(const struct oentry *u);
/* Invalidate n's own name before a request removes or renames it as `name`. The kernel drops `name`
 * itself; does nothing unless n's own name has other letter case. */
void forget_alias(struct vfs *v, struct inode *n, const char *name);
