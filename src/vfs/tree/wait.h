/* SPDX-License-Identifier: Zlib */
/* Calls that must wait. They are kept, and run again from their beginning. */
#pragma once

#include "vfs/tree/inode.h"

/* Run c after inode_ready, or after an invalidation of n or of its name. */
void inode_wait(struct inode *n, struct call *c);
/* Clear is_busy, run waiting calls, and free n if it is unused. */
void inode_ready(struct vfs *v, struct inode *n);
/* Invalidate the kernel's data and attributes of these inodes. Later, also if memory is exhausted,
 * the owner's thread calls then->done (then may be NULL). Opens, lookups and listings of the inodes
 * wait until then, so no program sees a mix of two contents. */
void inode_invalidate(struct vfs *v, struct inode *const *inodes, size_t n, struct job *then);
/* Invalidate n's name in the kernel's cache, and set is_name_stale. Each open of n may come by that
 * name: it waits for the invalidation and then gets ESTALE, so that the kernel looks the name up
 * again. A lookup of n after the invalidation clears is_name_stale. */
void inode_forget_name(struct vfs *v, struct inode *n);
void inode_looked_up(struct inode *n); /* count one lookup by the kernel */
/* Invalidate the kernel's cached listing of dir, after names changed without a request. Also sets
 * the mtime of dir, or the kernel would keep a listing that is under way. */
void names_invalidate(struct vfs *v, struct inode *dir);
/* Compute the sizes of these entries of s on a worker thread, for the cache of the format. Then set
 * c->size_result, whose size is valid only if n is 1, and run c again; or answer it with -ENOMEM. c
 * is NULL if the sizes were not requested yet (vfs.size_ahead). */
void sizes_request(
	struct vfs *v, const struct snapshot *s, const entry_id *ids, size_t n, struct call *c);
