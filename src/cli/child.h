/* SPDX-License-Identifier: Zlib */
/* child: run a call that may block forever in a child process, with a timeout. A process that waits
 * for a file system itself cannot stop waiting; a child can be killed, or left behind. */
#pragma once

#include <stdbool.h>

/* Runs in the child. Returns 0 or an errno; what it changes in memory is lost. */
typedef int child_call(void *arg);
/* Runs in the caller, repeatedly. Waits until fd is readable (the child exited), or for some time.
 * fd is -1 if the kernel has no pidfds. Returns false to give up. */
typedef bool child_wait(void *arg, int fd);

/* Run call(arg) in a child. Returns its result. If wait() gives up before the child ended, kills it
 * without waiting for its end, and returns ETIMEDOUT. Negative if there is no result: -errno of
 * fork, or -ECHILD if a signal ended the child. SIGCHLD must not be ignored (main). */
int child_run(void *arg, child_wait *wait, child_call *call);
/* The message for a nonzero result of child_run. */
const char *child_error(int r);

/* A child_wait of 4 s in total (without pidfds always 4 s); arg is not used. */
bool child_limit(void *arg, int fd);
