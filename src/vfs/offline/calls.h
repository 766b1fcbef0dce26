/* SPDX-License-Identifier: Zlib */
/*
 * calls: what stands in the tree of a map, and its bytes. They return 0 or -errno, as a program
 * would hear it from a mount; paths are relative to the map's root. Why a file cannot be read is in
 * offline.why then.
 */
#pragma once

#include "base/buffer.h"
#include "base/disk/names.h"
#include "vfs/offline/offline.h"

/* What stat tells; good until the tree is changed. */
struct offline_file {
	struct spot spot;
	mode_t mode;
	uint64_t size; /* 0 where it cannot be found */
	struct timespec mtime;
};

/* -ENOENT. */
int offline_lookup(struct offline *t, const struct offline_file *dir, const char *name,
	struct offline_file *ret);
/* The same of a path (path_next of base/name.h); "" is the root. */
int offline_find(struct offline *t, const char *path, struct offline_file *ret);

/* The names in a directory, as they are listed, or in order of their bytes. */
int offline_names(
	struct offline *t, const struct offline_file *dir, bool sorted, struct names *ret);

/* At most n bytes of a file from off on. The number, 0 at the end, or -errno. */
ssize_t offline_read_at(
	struct offline *t, const struct offline_file *file, uint64_t off, void *dst, size_t n);
/* ... and what a read by somebody else failed with. */
void offline_unreadable(struct offline *t, const struct error *why);
