/* SPDX-License-Identifier: Zlib */
/* place: open the directory of a file. The caller closes it. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* Open the directory that the path names; the file may be missing. *ret_name points into path.
 * -EINVAL: the name is empty (the path ends in a slash), or longer than NAME_MAX. */
int place_open_parent(const char *path, int *ret_dirfd, const char **ret_name, struct error *e);
/* Resolve symbolic links, and open the directory of the file. The caller frees *ret_name, which is
 * "" for the root directory. -ENOENT: the file is missing. With gone, the path is then used as it
 * is, unchecked: *ret_name is "" if it ends in a slash. */
int place_resolve(const char *file, bool gone, int *ret_dirfd, char **ret_name, struct error *e);
