/* SPDX-License-Identifier: Zlib */
/* streams: maps that are read from standard input, or written to standard output. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* Does the name mean a stream ("-")? */
bool streams_named(const char *file);
/* Open the directory for temporary copies: TMPDIR, or /tmp. Returns a descriptor or -errno. */
int streams_directory(struct error *e);
/* Copy standard input to an unlinked file. *ret_dirfd is /proc/self/fd, and *ret_name the file in
 * it; the caller closes and frees them. The file stays open until the process ends. */
int streams_input(int *ret_dirfd, char **ret_name, struct error *e);
/* Copy a whole file to standard output. */
int streams_output(int fd, struct error *e);
