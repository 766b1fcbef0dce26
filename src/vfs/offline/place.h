/* SPDX-License-Identifier: Zlib */
/* place: where a file is: its directory, open, which is the caller's, and its name there. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* As the path says, for a file that may not be there. *ret_name is a part of path. -EINVAL: that is
 * no name. */
int place_named(const char *path, int *ret_dirfd, const char **ret_name, struct error *e);
/* Links resolved; *ret_name is the caller's, "" of the root. gone: the file may be gone, and then
 * has the name that was typed. */
int place_of(const char *file, bool gone, int *ret_dirfd, char **ret_name, struct error *e);
