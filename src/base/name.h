/* SPDX-License-Identifier: Zlib */
/*
 * name: what a file may be called. Whatever names come from outside (the kernel, a journal, an
 * archive, a marker beside a map) is judged here before anybody opens, makes or removes by it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* 0; -EINVAL: empty, ".", "..", or with '/' or NUL in it; -ENAMETOOLONG: more than NAME_MAX bytes.
 */
int name_check(const char *name, size_t n);

/* Is it one of those with six letters and digits at random that sed -i (sedXXXXXX), perl -i
 * (XXXXXXXX) and zip (ziXXXXXX) give to what is about to take another file's place? */
bool name_is_random(const char *name);

/* An order of names: bytes, but numbers in them by their value (2 before 10). 0 only of the same.
 */
int name_compare(const char *a, const char *b);

/* Take the next name off a path of a mount. Slashes at its ends, empty names and "." in it mean
 * nothing. 1, 0 at its end, -ENOENT for "..", which is no name, or -ENAMETOOLONG. A path that was
 * not typed by a person is checked first (path_check). */
int path_next(const char **path, char ret[NAME_MAX + 1]);
/* "dir/name", or the name where dir is ""; the caller's, NULL: no memory. */
char *path_join(const char *dir, const char *name);
/* Is it a path of names alone, with one slash between two of them? Fails like name_check. */
int path_check(const char *path);

/*
 * Opens the directory that the path's last name stands in, level by level with open_dir (a
 * descriptor or -errno; its name is no path). Returns a descriptor.
 */
typedef int (*path_open_dir)(void *arg, int dirfd, const char *name, struct error *e);
int path_open_parent(int dirfd, const char *path, path_open_dir open_dir, void *arg,
	char ret_name[NAME_MAX + 1], struct error *e);
