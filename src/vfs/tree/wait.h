/* SPDX-License-Identifier: Zlib */
/* Calls that cannot run yet: kept, and run again from their beginning. */
#pragma once

#include "vfs/tree/inode.h"

void inode_wait(struct inode *n, struct call *c);
void inode_ready(struct vfs *v, struct inode *n); /* no longer busy; runs what waited */
/*
 * Has the kernel forget data and attributes of these, then calls then->done (then may be NULL).
 * Until that a node is `stale`: who opens it or looks it up waits, and sees one content whole.
 */
void inode_invalidate(struct vfs *v, struct inode *const *nodes, size_t n, struct job *then);
/*
 * Has the kernel forget n's name. From then on n is `misnamed`: who opens it may have come by that
 * name, and is sent back to look it up, once it is forgotten. Who has looked n up since knows a
 * right one.
 */
void inode_forget_name(struct vfs *v, struct inode *n);
void inode_looked_up(struct inode *n);
/* Names in dir came or went by no request for them: has the kernel forget what it remembers of a
 * listing. The time of the directory has to be a new one, or it takes what was listed meanwhile for
 * the names of now. */
void names_tell(struct vfs *v, struct inode *dir);
/* Have the sizes of these entries found on a worker, then run c again; NULL: nobody asked for them
 * yet (vfs.size_ahead). */
void size_wait(
	struct vfs *v, const struct snapshot *s, const entry_id *ids, size_t n, struct call *c);
