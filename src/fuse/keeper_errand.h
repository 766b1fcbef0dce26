/* SPDX-License-Identifier: Zlib */
/*
 * errand: a child process of the keeper that does what may block: everything that reaches the
 * mount, since the mount's answers come from the worker, and the worker may just wait for the
 * keeper.
 */
#ifndef FUSE_KEEPER_ERRAND_H
#define FUSE_KEEPER_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct errand {
	pid_t pid; /* 0: none is running */
	int out;   /* what the child writes to its stderr */
	void (*run)(const void *arg);
};

#define ERRAND_INIT                                                                                \
	{                                                                                          \
		0, -1, NULL                                                                        \
	}

/* The child runs run(arg), which ends it with _exit or exec, with no descriptor but 0 to 2. */
int errand_start(struct errand *j, void (*run)(const void *arg), const void *arg, struct error *e);

/* The child was reaped: the last line that it wrote to its stderr goes to text. */
void errand_finish(struct errand *j, char *text, size_t room);

/*
 * Errands. fsync files of the mount at point, whose device is dev ("0:57"); paths is NULL-ended and
 * comes from the worker, so nothing outside the mount is opened whatever it says. Status 0, or an
 * errno.
 */
struct errand_flush {
	const char *point;
	const char *dev;
	char **paths;
};
void errand_flush_run(const void *arg);

#endif
