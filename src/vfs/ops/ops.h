/* SPDX-License-Identifier: Zlib */
/* The operations that programs ask for, each in its file. */
#pragma once

#include "vfs/tree/inode.h"

/* Runs the call now, or keeps it until it can run. */
void vfs_submit(struct vfs *v, struct call *c);

/* May the call change the map? */
bool vfs_changes(const struct call *c);

/* The operations. Arguments and results in brackets. */
void vfs_lookup(struct vfs *v, struct call *c);      /* ino name -> attr; counts one lookup */
void vfs_getattr(struct vfs *v, struct call *c);     /* ino -> attr */
void vfs_setattr(struct vfs *v, struct call *c);     /* ino set mask [handle] -> attr */
void vfs_open(struct vfs *v, struct call *c);        /* ino flags -> opened keep_cache */
void vfs_create_file(struct vfs *v, struct call *c); /* ino name flags set.mode -> attr opened */
void vfs_mkdir(struct vfs *v, struct call *c);       /* ino name set.mode -> attr */
void vfs_unlink(struct vfs *v, struct call *c);      /* ino name */
void vfs_rmdir(struct vfs *v, struct call *c);       /* ino name */
void vfs_rename(struct vfs *v, struct call *c);      /* ino name to_ino to_name flags */
void vfs_read(struct vfs *v, struct call *c);        /* handle off size -> out */
void vfs_write(struct vfs *v, struct call *c);       /* handle off data size */
void vfs_fallocate(struct vfs *v, struct call *c);   /* handle off size: at least that long */
void vfs_flush(struct vfs *v, struct call *c);       /* handle */
void vfs_release(struct vfs *v, struct call *c);     /* handle (gone after) */
/* handle, or ino. Through a handle that does not write, or none, what another program has begun to
 * write is no change yet. */
void vfs_fsync(struct vfs *v, struct call *c);
void vfs_readdir(struct vfs *v, struct call *c); /* ino off emit plus */

/* n lookups of ino are forgotten by the kernel. */
void vfs_forget(struct vfs *v, uint64_t ino, uint64_t n);

/* For the files of this room. */

/* The directory of that number, of a map that may be changed, for names to be made or taken in. */
int dir_find(struct vfs *v, uint64_t ino, struct inode **ret);
/* The directory as the format lists it, with what was made; false: it means nothing there. */
bool dir_listed(const struct inode *dir, const struct snapshot **ret, entry_id *ret_id);
/* Does the journal know of it? It knows no scratch, nor what was made and not closed. */
bool is_journaled(const struct oentry *u);
/* n is about to go, or to be called otherwise, by a request for `name`, of which the kernel knows
 * itself. Where that is its name in another case of letters, the kernel is told of its own. */
void forget_alias(struct vfs *v, struct inode *n, const char *name);
