/* SPDX-License-Identifier: Zlib */
/*
 * runner: the process that keeps the rights which the keeper gives up once the mount stands. It
 * unmounts (an ordinary user's by fusermount3), reaches into the mount, and writes the system log.
 * It hears nobody but the keeper, and unmounts nothing but the one mount.
 *
 * It is made before the worker, never waits for the keeper, and ends when the keeper does. To it:
 * DEVICE text once (the mount's device), ERRAND code text (an enum errand_kind and
 * the mount point), NOTE code text (syslog's priority and a line). From it, once for each ERRAND:
 * DONE code text (its status and words).
 */
#ifndef FUSE_KEEPER_RUNNER_H
#define FUSE_KEEPER_RUNNER_H

#include <stddef.h>

#include "base/error.h"
#include "fuse/request.h"

enum errand_kind {
	ERRAND_NONE,
	ERRAND_PROBE, /* does the mount answer? It is watched then, and root's is noted */
	ERRAND_UNMOUNT,
	ERRAND_UNMOUNT_LAZILY,
	ERRAND_FORGET, /* take the note back: fusermount3 and umount(2) leave it */
};

struct runner {
	const struct mount_request *rq;
	int sock;             /* -1: there is none */
	enum errand_kind out; /* which errand is under way */
};

#define RUNNER_INIT(request)                                                                       \
	{                                                                                          \
		(request), -1, ERRAND_NONE                                                         \
	}

/* Where signals that the keeper handles are blocked. watch: see keeper_watch.h; -1: none. */
int runner_start(struct runner *r, int watch, struct error *e);
void runner_finish(struct runner *r);

/* Which mount it is for: st_dev, "0:57". Only the first time counts. */
void runner_mounted(struct runner *r, const char *dev);

/* While none is under way. */
int runner_send(struct runner *r, enum errand_kind kind, const char *point, struct error *e);

/* Once sock is readable: the errand that has ended, or ERRAND_NONE. *ret_status is 0, an errno, or
 * the status of the program that was run; text gets what is to be said of it, or "". */
enum errand_kind runner_answer(struct runner *r, int *ret_status, char *text, size_t room);

/* A line for the system log; where there is no runner, from this process. */
void runner_log(struct runner *r, int priority, const char *line);

#endif
