/* SPDX-License-Identifier: Zlib */
/*
 * mount and unmount, through libfuse, mount(2) and fusermount3; and the directory for that.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "fuse/lifecycle/launch.h"

/* Could be mounted there? Before anything else is done: what a worker says of the journal is to be
 * true. *ret_covers: it holds something that the mount would cover. */
int mount_point_look(const struct mount_request *rq, bool *ret_covers, struct error *e);
/*
 * Look once more, or make it where the request says so. *ret_path is its path without symbolic
 * links, the caller's to free; *ret_made says whether it has to be removed at the end.
 */
int mount_point_take(
	const struct mount_request *rq, char **ret_path, bool *ret_made, struct error *e);

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
