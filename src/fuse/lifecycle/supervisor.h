/* SPDX-License-Identifier: Zlib */
/*
 * supervisor: what the launcher becomes while the mount exists. It waits for the worker's end, and
 * prints or logs the worker's notes and reports (standard error in the foreground, otherwise the
 * system log). After that it removes what is left: a dead mount, and the mount point that was made
 * for it. The mount works without it.
 *
 * libfuse's auto_unmount is no alternative. It uses open(2) on the mount point to see whether the
 * mount is dead; but a kernel that caches listings, as here (ops.c), opens a dead directory.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "fuse/lifecycle/launch.h"
#include "fuse/lifecycle/messages.h"

/* The launcher and later the supervisor. launch() closes and frees the members at its end. */
struct supervisor {
	const struct mount_request *request;
	int worker_sock;  /* socket to the worker, or -1 */
	pid_t worker_pid; /* or -1; not a child of a supervisor in the background */
	int signal_fd;    /* signalfd; each signal makes supervisor_run send STOP to the worker */
	char *mountpoint; /* resolved path; NULL before the mount */
	bool owns_mountpoint;     /* the mount point was made for this mount */
	char dev[24];             /* device of the mount, "0:52"; "" before the mount */
	struct messages messages; /* lines of the launcher and, with -f, the supervisor */
};

/* Give up the capabilities that supervisor_run does not need; a failure is only reported. Call it
 * before the launcher returns, so that no supervisor of a public mount has all of them. */
void supervisor_drop_rights(struct supervisor *s);
/* Wait for the worker's end, then clean up. Returns the exit code for the foreground. */
enum outcome supervisor_run(struct supervisor *s);

/* Write to `line` how the worker ended, then `what`, which begins with a separator. */
void supervisor_describe_exit(int wait_status, const char *what, char *line, size_t room);

/* Unmount the dead mounts of an exited worker, wherever they were moved or bound. all: also remove
 * the entry in utab (utab.h) and a mount point that was made, unless something is mounted there. */
void supervisor_clean(const struct supervisor *s, bool all);
