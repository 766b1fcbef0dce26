/* SPDX-License-Identifier: Zlib */
/* streams: a map that comes from standard input, or goes to standard output. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* Is that the name of a stream, and of no file? */
bool streams_named(const char *file);
/* Where copies of them are made: a descriptor of TMPDIR or /tmp, or -errno. */
int streams_directory(struct error *e);
/* Reads standard input to its end. Where that stands then, as offline_locate says it: among the
 * descriptors of this process, as long as it runs. */
int streams_input(int *ret_dirfd, char **ret_name, struct error *e);
/* All of a file to standard output. */
int streams_output(int fd, struct error *e);
