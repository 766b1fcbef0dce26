/* SPDX-License-Identifier: Zlib */
/*
 * mount and unmount, through libfuse, mount(2) and fusermount3.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "fuse/launch.h"

/* The argument of libfuse's -o for this request; the caller frees it. NULL: no memory. */
char *mount_options(const struct mount_request *rq, bool read_only);

/* Mount on `point`. *ret_fd is the descriptor of /dev/fuse, the caller's to close. */
int mount_begin(const struct mount_request *rq, const char *point, bool read_only, int *ret_fd,
	struct error *e);

/*
 * Unmount. May block while the kernel writes pages back. 0; or an errno, and "" in text; or the
 * status of fusermount3, and the last line that it said.
 */
int mount_end(const char *point, bool lazy, char *text, size_t room);
