/* SPDX-License-Identifier: Zlib */
/*
 * worker: the process that opens, serves and saves one map.
 */
#pragma once

#include "fuse/lifecycle/launch.h"

/*
 * Run as the worker until the session has ended; launcher_fd is the socket to the launcher
 * (control.h says what is spoken over it), and signal_fd a signalfd of the signals that ask to end,
 * which are blocked; both are worker_main's to close. Besides them descriptors 0 to 2 are open and
 * no other is. SIGCHLD has its default action; SIGPIPE is ignored. Returns the status to exit with,
 * an enum outcome.
 */
int worker_main(const struct mount_request *rq, int launcher_fd, int signal_fd);
