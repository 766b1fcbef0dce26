/* SPDX-License-Identifier: Zlib */
/*
 * companion: the second file of a map that is two (a PAK and its manifest). For formats whose maps
 * are one file, nothing here does anything but identity_of.
 */
#pragma once

#include "formats/format.h"
#include "vfs/files/sidecar.h"

/* Find the second file of f's map `name` without opening it. 1, 0 if there is none, or -errno. */
int companion_find(int dirfd, const struct format *f, const char *name, char ret[NAME_MAX + 1]);
/* Where f's maps have two files and the second stands beside `name`: opens it into src (files[1])
 * and says what it is called (ret has room for NAME_MAX + 1). Without, ret is "" and it is 0 too.
 */
int companion_open(int dirfd, const struct format *f, const char *name, struct source *src,
	char ret[NAME_MAX + 1], struct error *e);

/* The identity of all of a map's files. */
int companion_identity_of(const struct source *src, char ret[IDENTITY_SIZE], struct error *e);
/* ... if they still were as then (identity_as). */
int companion_identity_as(const struct source *src, const struct stat *const as[FORMAT_FILES_MAX],
	char ret[IDENTITY_SIZE], struct error *e);
/* The same for the map `name`, of which only the first file is at hand. */
int companion_identity(
	int dirfd, const char *name, struct file *first, char ret[IDENTITY_SIZE], struct error *e);
