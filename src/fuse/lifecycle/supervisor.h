/* SPDX-License-Identifier: Zlib */
/*
 * guard: what is left of the launcher while the mount stands. It waits for the worker's end, passes
 * on what the worker says, to stderr in the foreground and else to the system log, and takes away
 * what a worker that died, or was told to end by a signal, leaves behind. Without it the mount is
 * served as before.
 *
 * libfuse has a helper for this (auto_unmount), which asks open(2) of the mount point whether the
 * mount is dead; but a kernel that remembers listings, as ours does (ops.c), opens a dead
 * directory.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "fuse/lifecycle/launch.h"
#include "fuse/lifecycle/messages.h"

struct supervisor {
	const struct mount_request *request;
	int worker;           /* the socket to it */
	pid_t pid;            /* its process; a child's in the foreground */
	int signals;          /* a signalfd of those that ask to end */
	char *mountpoint;     /* where it is mounted, without symbolic links; NULL before. Owned */
	bool owns_mountpoint; /* the mount point is ours to remove */
	char dev[24];         /* st_dev of the mount; "" before */
	struct messages messages; /* before the mount, and in the foreground */
};

/* Gives up the capabilities that supervisor_run does not need. Call it before the launcher returns:
 * then no user ever sees a supervisor that has all of them. */
void supervisor_drop_rights(struct supervisor *g);
/* Until the worker's end. Returns the exit code of a mount in the foreground. */
enum outcome supervisor_run(struct supervisor *g);

/* How a process ended, in words, and after them `what`. */
void supervisor_describe(int wait_status, const char *what, char *line, size_t room);

/* The worker is gone: a mount that answers nobody goes. all: and so do the mount point that was
 * made and what mount(8) remembers, where nothing is mounted there. */
void supervisor_clean(const struct supervisor *g, bool all);
