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
#include "fuse/control.h"
#include "vfs/mounted.h"

struct notifier;

struct front {
	struct vfs_host host; /* first */
	struct mounted tree;
	struct pool *pool;
	struct fuse_session *se;
	struct notifier *notifier;
	int control_fd;  /* -1: the keeper is gone */
	int door_fd;     /* where another keeper may come in then (control.h); -1: nowhere */
	int door_code;   /* DOOR's */
	bool stopping;   /* a signal came while nobody was left who could unmount */
	unsigned saves;  /* that are asked for and not answered */
	bool lists_once; /* the kernel remembers listings, until it is told otherwise */
	int64_t beat_ms; /* when the last sign of life was given */
};

/* ops.c: the table for fuse_session_new, whose userdata is the front */
extern const struct fuse_lowlevel_ops front_ops;

/* loop.c, for the owner: to the keeper, if there is one; one that does not listen is let go. */
void front_tell(struct front *f, enum control_type type, int code, const char *text);

/*
 * save.c, for the owner. Dirty mapped pages are written back first; then the lines of the report
 * and its code are told. to_end: see mounted_save_to_end.
 */
void front_save(struct front *f, bool to_end);
void front_discard(struct front *f); /* mounted_discard, and the same answer */

/* notify.c */
int notifier_start(struct front *f, struct error *e);
/* Ends the thread; what is still queued is returned without telling the kernel. */
void notifier_stop(struct front *f);
void front_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then);
void front_forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then);

#endif
