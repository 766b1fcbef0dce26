/* SPDX-License-Identifier: Zlib */
/*
 * child: run a call that may block forever in a child process, with a timeout. A process that waits
 * for a file system itself cannot stop waiting; a child can be killed, or left behind.
 */
#pragma once

#include <stdbool.h>

/* Runs in the child. Returns 0 or an errno; what it changes in memory is lost. */
typedef int child_call(void *arg);
/* Runs in the caller. Waits for fd to become readable (the child exited), or for some time; fd is
 * -1 if the kernel gives none. Returns false to give up. */
typedef bool child_wait(void *arg, int fd);

/* Returns what the call returned. If wait() gave up, kills the child without waiting for its end,
 * and returns ETIMEDOUT. If no child ran the call to its end: -errno of fork, or -ECHILD. */
int child_run(void *arg, child_wait *wait, child_call *call);
/* The message for a result of child_run that is not 0. */
const char *child_error(int r);

/* Wait for 4 s: for a call that a mount has to answer. */
bool child_limit(void *arg, int fd);
