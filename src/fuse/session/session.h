/* SPDX-License-Identifier: Zlib */
/*
 * front: the mounted tree as a FUSE session. Requests become calls of the vfs, their results become
 * replies; what the vfs wants the kernel to forget goes out from a thread of its own, since the
 * kernel may wait for pages that only the owner's thread can deliver.
 */
#pragma once

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/threads/pool.h"
#include "fuse/control.h"
#include "fuse/control_socket.h"
#include "vfs/mounted.h"

struct session {
	struct vfs_host host; /* first */
	struct mounted tree;
	struct pool *pool;
	struct fuse_session *fuse;
	struct pool *inode_notifier, *name_notifier; /* of one thread each: in order */
	atomic_bool is_silent;                       /* the kernel is told no more */
	int launcher_fd;                /* open until the end: notes come from any thread */
	bool launcher_gone;             /* nobody hears there */
	bool is_public;                 /* the mount lasts without the launcher */
	struct control_socket control;  /* where `mapfs -u` comes in */
	bool owns_mountpoint;           /* the mount point was made for this mount */
	bool client_removes_mountpoint; /* who asked for a save last removes it */
	bool stopping;                  /* the end follows the save */
	unsigned saves;                 /* that were asked for and are not answered */
	struct report last_report;      /* of them, the last one that was */
	bool caches_listings; /* the kernel remembers listings, until it is told otherwise */
	pthread_t owner;      /* the thread of the loop */
	pthread_mutex_t lock; /* of the next */
	struct control_msg
		progress;    /* how far the save is, that was told last by a worker thread */
	int64_t progress_ms; /* when that was passed on */
};

/* ops.c: the table for fuse_session_new, whose userdata is the front */
extern const struct fuse_lowlevel_ops session_ops;

/* loop.c: serves until the session ends. signal_fd tells of signals that ask to end. */
void session_run(struct session *f, int signal_fd);
/* For the owner: to the launcher, and to each `mapfs -u` that waits. */
void session_send(struct session *f, const struct control_msg *m);

/*
 * save.c, for the owner. Dirty mapped pages are written back first; then the lines of the report
 * and its code are told. to_end: see mounted_save_to_end.
 */
void session_save(struct session *f, bool to_end);
void session_discard(struct session *f); /* mounted_discard, and the same answer */
void session_stop(struct session *f);    /* saves, and ends the session */
/* The session has ended: the last save. Returns the exit code. */
int session_end(struct session *f);
/* Any thread; see vfs_host. */
void session_progress(struct vfs_host *h, const char *what, uint64_t done, uint64_t total);
/* Passes on how far the save is, where it is time to. */
void session_heartbeat(struct session *f);
enum { SESSION_HEARTBEAT_MS = 250 };

/* notify.c */
int notifiers_start(struct session *f); /* 0 or -errno */
/* Ends the threads; what is still queued is returned without telling the kernel. */
void notifiers_stop(struct session *f);
void session_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then);
void session_forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then);
