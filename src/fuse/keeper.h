/* SPDX-License-Identifier: Zlib */
/*
 * keeper: the process that mounts, unmounts and tells, and never reads a byte of a map.
 */
#ifndef FUSE_KEEPER_H
#define FUSE_KEEPER_H

#include "fuse/control.h"
#include "fuse/request.h"

/*
 * Mount as asked. Without rq->foreground: returns when the mount is usable, which a process of its
 * own then keeps, or when it has failed. In the foreground: returns when the mount has ended.
 * Messages have been printed. Returns the exit code.
 */
enum outcome keeper_start(const struct mount_request *rq);

#endif
