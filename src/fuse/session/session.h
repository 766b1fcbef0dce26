/* SPDX-License-Identifier: Zlib */
/*
 * session: a mounted tree that libfuse serves. Requests become calls of the vfs (vfs/vfs.h), and
 * their results become replies. Notifications that make the kernel drop cached inodes and names are
 * sent by threads of their own: the kernel may block them until the owner has delivered pages.
 *
 * Calling sequence (worker.c): set host, tree, pool, fuse, launcher_fd, control, owns_mountpoint,
 * owner and lock, and the rest to zeros; notifiers_start, session_run, notifiers_stop, session_end.
 * Owner: the thread of all these. Others may call session_progress and send notes to launcher_fd.
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
	struct pool *pool; /* runs the jobs of the tree; owned by worker.c */
	struct fuse_session *fuse;
	struct pool *inode_notifier, *name_notifier; /* of one thread each, so ordered */
	atomic_bool is_silent;                       /* the kernel gets no more notifications */
	int launcher_fd;       /* open until the end, because any thread may send notes */
	bool is_launcher_gone; /* nothing more is sent to or read from launcher_fd */
	bool is_public;        /* KEEP was received: the mount outlives the launcher */
	struct control_socket control;
	bool owns_mountpoint;           /* the mount point was made for this mount */
	bool client_removes_mountpoint; /* the client that sent the last SAVE does */
	bool is_stopping;               /* the session ends when no save is pending */
	unsigned pending_saves;         /* requested saves without a report yet */
	struct report last_report;      /* of the last finished save */
	bool caches_listings;           /* the kernel caches listings until it is notified */
	pthread_t owner;                /* the thread of session_run */
	pthread_mutex_t lock;           /* protects progress */
	struct control_msg progress;    /* of the running save; set by any thread */
	int64_t progress_sent_ms;       /* time of the last PROGRESS message */
};

/* The operations for fuse_session_new; its userdata is the session. */
extern const struct fuse_lowlevel_ops session_ops;

/* Serve until the session ends. signal_fd is a signalfd; a signal calls session_stop. */
void session_run(struct session *s, int signal_fd);
/* Send a message to the launcher (except PROGRESS) and to each waiting client. */
void session_send(struct session *s, const struct control_msg *m);

/* Start a save: write back dirty mapped pages, save, then send the report to launcher and clients,
 * and SAVED if no other save is pending. to_end: vfs_save_before_unmount instead of vfs_save. */
void session_save(struct session *s, bool to_end);
/* Send a report of the unsaved changes, and SAVED, as session_save does, but save nothing. A later
 * session_end drops the changes, unless mounted_keep is called before. */
void session_discard(struct session *s);
void session_stop(struct session *s); /* save, then end the session, even if that fails */
/* Do the last save, after the session has ended, and send its report. Returns the exit code. */
int session_end(struct session *s);
/* For vfs_host.progress, on any thread: keep the progress, unless `what` is "". On the owner's
 * thread also call session_heartbeat. */
void session_progress(struct vfs_host *h, const char *what, uint64_t done, uint64_t total);
/* Send the kept progress, but at most one PROGRESS in SESSION_HEARTBEAT_MS. */
void session_heartbeat(struct session *s);
enum { SESSION_HEARTBEAT_MS = 250 };

/* Start the notification threads. Returns 0 or -errno; notifiers_stop is needed in both cases. */
int notifiers_start(struct session *s);
/* End the threads. Queued notifications are dropped; pool_submit_done gets their `then`. */
void notifiers_stop(struct session *s);
/* For vfs_host: queue notifications, with copies of the arguments, or drop them if memory is
 * exhausted. Afterwards pool_submit_done gets `then` in any case, if it is not NULL. */
void session_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then);
void session_forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then);
