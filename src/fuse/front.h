/* SPDX-License-Identifier: Zlib */
/*
 * front: the mounted tree as a FUSE session. Requests become calls of the vfs, their results become
 * replies; what the vfs wants the kernel to forget goes out from a thread of its own, since the
 * kernel may wait for pages that only the owner's thread can deliver.
 */
#ifndef FUSE_FRONT_H
#define FUSE_FRONT_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "base/pool.h"
#include "vfs/vfs.h"

struct notifier;

struct front {
	struct vfs_host host; /* first */
	struct vfs *vfs;
	struct pool *pool;
	struct fuse_session *se;
	struct notifier *notifier;
	int control_fd; /* -1: the keeper is gone */
};

/* ops.c: the table for fuse_session_new, whose userdata is the front */
extern const struct fuse_lowlevel_ops front_ops;

/* notify.c */
int notifier_start(struct front *f, struct error *e);
/* Ends the thread; what is still queued is returned without telling the kernel. */
void notifier_stop(struct front *f);
void front_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then);
void front_forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then);

#endif
