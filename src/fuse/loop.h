/* SPDX-License-Identifier: Zlib */
/* The worker's loop over its four descriptors: requests, finished jobs, the keeper, signals. */
#ifndef FUSE_LOOP_H
#define FUSE_LOOP_H

#include "fuse/front.h"

/* Serves until the session ends. f->control_fd is closed and -1 where the keeper goes away. */
void loop_run(struct front *f, int signal_fd);

#endif
