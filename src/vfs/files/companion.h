/* SPDX-License-Identifier: Zlib */
/* companion: the second file of a map that consists of two (.PAK and .PAK.MAN). For formats with
 * one file per map, only the identity functions do anything. */
#pragma once

#include "formats/format.h"
#include "vfs/files/sidecar.h"

/* Find the companion of the map `name` of format f, ignoring case, without opening it. Returns 1, 0
 * if there is none, or -errno. */
int companion_find(int dirfd, const struct format *f, const char *name, char ret[NAME_MAX + 1]);
/* Open the companion of the map `name` as src->files[1], which the caller owns, and set n_files.
 * ret is its name. Without a companion it is "", src is unchanged, and the result 0. */
int companion_open(int dirfd, const struct format *f, const char *name, struct source *src,
	char ret[NAME_MAX + 1], struct error *e);

/* Compute the identity of all files of a map. */
int companion_identity_of(const struct source *src, char ret[IDENTITY_SIZE], struct error *e);
/* Compute the identity that the files would have with the sizes and times in `as` (identity_as). A
 * NULL in `as` stands for the current ones. */
int companion_identity_as(const struct source *src, const struct stat *const as[FORMAT_FILES_MAX],
	char ret[IDENTITY_SIZE], struct error *e);
/* Compute the identity of the map `name`, of any format, by its first file and any companion. */
int companion_identity(
	int dirfd, const char *name, struct file *first, char ret[IDENTITY_SIZE], struct error *e);
