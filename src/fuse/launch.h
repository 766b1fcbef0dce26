/* SPDX-License-Identifier: Zlib */
/*
 * launch: the process that mounts, and then waits for the end; it never reads a byte of a map.
 */
#ifndef FUSE_LAUNCH_H
#define FUSE_LAUNCH_H

#include "fuse/request.h"

/*
 * Mount as asked. Without rq->foreground: returns when the mount is usable, which a process of its
 * own then serves, or when it has failed. In the foreground: returns when the mount has ended.
 * Messages have been printed. Returns the exit code.
 */
enum outcome launch(const struct mount_request *rq);

#endif
