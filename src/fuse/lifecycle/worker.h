/* SPDX-License-Identifier: Zlib */
/* worker: the process that opens, serves and saves a map, or a folder of maps. It opens the map,
 * enters the sandbox, parses the map, and only then requests the mount. */
#pragma once

#include "fuse/lifecycle/launch.h"

/*
 * Run as the worker until the session has ended and is saved. launcher_fd: the socket to the
 * launcher (control.h). signal_fd: a signalfd of the signals that end the mount, which are blocked.
 * Closes both. Only these and descriptors 0 to 2 may be open. SIGCHLD must have its default action,
 * and SIGPIPE be ignored. Returns the exit status, an enum outcome.
 */
int worker_main(const struct mount_request *rq, int launcher_fd, int signal_fd);
