/* SPDX-License-Identifier: Zlib */
/*
 * name: check and compare names and paths. A name from outside (the kernel, a journal, an archive,
 * a marker beside a map) is checked here before a file of that name is opened, made or removed.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Check a name of n bytes. Returns 0, -EINVAL if it is empty, ".", ".." or contains '/' or NUL, or
 * -ENAMETOOLONG if it exceeds NAME_MAX bytes. */
int name_check(const char *name, size_t n);

/* Is it the name of a temporary file of sed -i (sedXXXXXX), perl -i (XXXXXXXX, which begins with
 * XX) or zip (ziXXXXXX)? Such a file soon replaces another one. */
bool name_is_random(const char *name);

/* Compare names by bytes, but numbers in them by value (2 before 10). 0 only for equal names. */
int name_compare(const char *a, const char *b);

/* Take the next name off a path in a mount, skipping slashes and ".". Returns 1; 0 at the end of
 * the path, with ret ""; -ENOENT for ".."; or -ENAMETOOLONG. A path that the user did not type
 * needs path_check first. */
int path_next(const char **path, char ret[NAME_MAX + 1]);
/* Return "dir/name", or "name" if dir is "". The caller frees it. NULL if memory is exhausted. */
char *path_join(const char *dir, const char *name);
/* Check that a path consists of names with one slash between them. Fails like name_check. */
int path_check(const char *path);

/* Open the directory `name`, a single name below dirfd. Returns a descriptor or -errno. */
typedef int (*path_open_dir)(void *arg, int dirfd, const char *name, struct error *e);
/* Open the directory that contains the last name of a path, calling open_dir for each directory of
 * the path. Returns a new descriptor, and the last name in ret_name. Fails like path_check, too.
 * dirfd must be open, not AT_FDCWD. */
int path_open_parent(int dirfd, const char *path, path_open_dir open_dir, void *arg,
	char ret_name[NAME_MAX + 1], struct error *e);
