/* SPDX-License-Identifier: Zlib */
/*
 * Names of what mapfs puts beside a map: NAME.mapfs-journal-ID, NAME.mapfs-conflict,
 * NAME.mapfs-left. And the identity that tells which content of the map a journal belongs to.
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

/* map's name with the suffix; a name too long for the file system is cut before it. */
void sidecar_name(char ret[NAME_MAX + 1], const char *map, const char *suffix);

/* The map that files beside `map` are named after: without .mapfs-conflict(.N), which a save that
 * met another program's change gave it. */
void sidecar_family(char ret[NAME_MAX + 1], const char *map);

/*
 * Identity of a map file's content: its size and checksums. Files over 16 MiB are sampled (both
 * ends) and their time counts too. It does not depend on where the file lies.
 */
bool identity_is_whole(uint64_t size); /* of a file of this size all bytes count */
int identity_of(const struct file *f, char ret[IDENTITY_SIZE], struct error *e);
/* ... if it still had this size and this time. Of a file that is shorter now: -EIO. */
int identity_as(
	const struct file *f, const struct stat *as, char ret[IDENTITY_SIZE], struct error *e);
