/* SPDX-License-Identifier: Zlib */
/*
 * sidecar: names of the files that mapfs creates beside a map (NAME.mapfs-journal-ID,
 * NAME.mapfs-conflict, NAME.mapfs-left), and the identity that tells which content of a map a
 * journal belongs to.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/disk/file.h"
#include "base/error.h"

enum { IDENTITY_SIZE = 17 }; /* 16 hex digits and a NUL */

/* Append the suffix to a map's name. If the result is too long, the map's name is truncated. */
void sidecar_name(char ret[NAME_MAX + 1], const char *map, const char *suffix);

/* The name that the sidecar files of a map begin with: its own name without .mapfs-conflict or
 * .mapfs-conflict.N, which a save after a conflict appends. */
void sidecar_family(char ret[NAME_MAX + 1], const char *map);

/*
 * The identity of a map file's content consists of its size and checksums. For files over 16 MiB it
 * covers 1 MiB at each end and the modification time. It does not depend on the file's name.
 */
/* Does the identity cover all bytes of a file of this size? */
bool identity_is_whole(uint64_t size);
int identity_of(const struct file *f, char ret[IDENTITY_SIZE], struct error *e);
/* Compute the identity with the size and mtime in `as`. -EIO if the file is shorter. */
int identity_as(
	const struct file *f, const struct stat *as, char ret[IDENTITY_SIZE], struct error *e);
