/* SPDX-License-Identifier: Zlib */
/*
 * calls: look up, list and read the files of an open map. Functions return 0 or the -errno that a
 * mount would give. Paths are relative to the map's root. After a failed read, offline.read_error
 * has the reason.
 */
#pragma once

#include "base/buffer.h"
#include "base/disk/names.h"
#include "vfs/offline/offline.h"

/* Attributes of a file or directory. Valid until the next change of the overlay. */
struct offline_file {
	struct dentry dentry;
	mode_t mode;
	uint64_t size; /* 0 for a directory, or if it cannot be determined */
	struct timespec mtime;
};

/* Look up one name in a directory. -ENOENT. */
int offline_lookup(struct offline *t, const struct offline_file *dir, const char *name,
	struct offline_file *ret);
/* Look up a path (path_next of base/name.h); "" is the root. -ENOENT. */
int offline_find(struct offline *t, const char *path, struct offline_file *ret);

/* List the names in a directory, in the order of the mount or, if sorted, of their bytes.
 * Initializes *ret; the caller finishes it. */
int offline_names(
	struct offline *t, const struct offline_file *dir, bool sorted, struct names *ret);

/* Read up to n bytes at off. Returns their number, 0 at the end, or -errno. */
ssize_t offline_read_at(
	struct offline *t, const struct offline_file *file, uint64_t off, void *dst, size_t n);
/* Record why a read failed that did not use offline_read_at, for offline_reason. */
void offline_set_read_error(struct offline *t, const struct error *why);
