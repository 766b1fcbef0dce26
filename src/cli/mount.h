/* SPDX-License-Identifier: Zlib */
#ifndef CLI_MOUNT_H
#define CLI_MOUNT_H

#include "cli/options.h"

/* Mount file as o says; mountpoint NULL: beside it. Fills the paths of o->rq for the time of the
 * call. Returns the exit code. */
int mount_run(struct options *o, const char *file, const char *mountpoint);

/*
 * Where a mount of file stands when none was named: beside it, its name without the ending, or that
 * of a folder with .mapfs. The caller frees it; NULL with errno set: EINVAL where the name has no
 * ending.
 */
char *mount_default_point(const char *file, bool folder);

#endif
