/* SPDX-License-Identifier: Zlib */
/* The worker's loop over its descriptors: requests, finished jobs, signals, the launcher, and who
 * asks for a save. */
#ifndef FUSE_LOOP_H
#define FUSE_LOOP_H

#include "fuse/front.h"

/* Serves until the session ends. */
void loop_run(struct front *f, int signal_fd);

#endif
