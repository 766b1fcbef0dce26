/* SPDX-License-Identifier: Zlib */
/* mount: mount and unmount through libfuse, mount(2) and fusermount3; and the mount point.
 * mount_attach and mount_detach redirect standard error of the process, to read messages there. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "fuse/lifecycle/launch.h"

/* Check the mount point, before a worker starts: the worker's notes on the journal would be wrong
 * if the mount failed later. A mount point that will be made must be missing or empty. *ret_covers:
 * it has files, which the mount would hide; false on failure. */
int mount_point_check(const struct mount_request *rq, bool *ret_covers, struct error *e);
/* Check the mount point again, and make it if the request says so. *ret_path is the resolved path;
 * the caller frees it. *ret_made: the directory was made, and is to be removed at the end. */
int mount_point_prepare(
	const struct mount_request *rq, char **ret_path, bool *ret_made, struct error *e);

/* Build the -o argument for libfuse. The caller frees it. Returns NULL if memory is exhausted. */
char *mount_options(const struct mount_request *rq, bool read_only);

/* Mount on `point` by mount(2) or fusermount3. The caller closes *ret_fd (/dev/fuse). */
int mount_attach(const struct mount_request *rq, const char *point, bool read_only, int *ret_fd,
	struct error *e);

/* Unmount; root also removes the entry in utab (utab.h). May block while the kernel writes pages
 * back, unless lazy (MNT_DETACH). Returns 0, an errno > 0, or the exit status of fusermount3. text
 * gets the last line of fusermount3, or "" without one: then the result is read as an errno. */
int mount_detach(const char *point, bool lazy, char *text, size_t room);
