/* SPDX-License-Identifier: Zlib */
/*
 * mountinfo: look up mounts in /proc/self/mountinfo (proc(5)), without access to the mounts.
 *
 * Even root cannot stat another user's FUSE mount, and a dead mount does not answer.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define MOUNTINFO "/proc/self/mountinfo"

struct mount_entry {
	char point[PATH_MAX];  /* the mount point */
	char dev[24];          /* "0:57": st_dev of the files in it */
	bool is_mapfs;         /* its type is fuse.mapfs */
	bool is_read_only;     /* by the options of the mount itself */
	uid_t owner;           /* user_id= of a FUSE mount: the user that mounted it; else 0 */
	char source[PATH_MAX]; /* for mapfs: the path of the map or folder */
};

/* Read the next mount of an open table, in the order of mounting. Returns false at the end. */
bool mountinfo_next(FILE *table, struct mount_entry *ret);

/* Find the topmost mount at `point`, an absolute path without symbolic links. `table`: MOUNTINFO,
 * except in tests. -ENOENT if nothing is mounted there, or the -errno of opening the table. */
int mountinfo_find_point(const char *table, const char *point, struct mount_entry *ret);

/* Find the last mount of mapfs with the device number `dev`, of the map `source` unless that is
 * NULL. One device can have several mounts, and after the last one the kernel gives its number to
 * another file system. Errors as mountinfo_find_point. */
int mountinfo_find_mapfs(
	const char *table, const char *dev, const char *source, struct mount_entry *ret);

/* Is the open file fd on device `dev`? False if statx fails. A FUSE mount gets no request. */
bool mountinfo_is_on_device(int fd, const char *dev);

/* The kind of a file system. */
enum mount_kind {
	MOUNT_LOCAL, /* every type that is not listed below */
	MOUNT_SHARE, /* on another machine, or FUSE, which may access another machine */
	MOUNT_OTHER, /* overlayfs; or fstatfs failed */
};
/* Return the kind of the file system that fd is on. */
enum mount_kind mountinfo_kind(int fd);
