/* SPDX-License-Identifier: Zlib */
/*
 * mountinfo: what the kernel says is mounted, found without touching any mount.
 *
 * Not even root may stat another user's FUSE mount, and a dead one answers nobody; but its line in
 * /proc/self/mountinfo (proc(5)) can always be read.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define MOUNTINFO "/proc/self/mountinfo"

struct mount_entry {
	char point[PATH_MAX]; /* where it is mounted */
	char dev[24];         /* "0:57": the st_dev of what is mounted */
	bool mapfs;           /* its type is fuse.mapfs */
	bool read_only;
	uid_t owner;           /* user_id= of a FUSE mount: who mounted it; else 0 */
	char source[PATH_MAX]; /* of a mount of mapfs: the map's path */
};

/* The next mount of an open table, in the order of mounting; false: there is none. */
bool mountinfo_next(FILE *table, struct mount_entry *ret);

/*
 * The topmost mount at `point`, an absolute path without symbolic links, in the table (MOUNTINFO; a
 * test gives its own). -ENOENT where nothing is mounted there.
 */
int mountinfo_find(const char *table, const char *point, struct mount_entry *ret);

/* The device `dev` where it is mounted, the last of several places (bind mounts). -ENOENT where it
 * is nowhere. */
int mountinfo_find_device(const char *table, const char *dev, struct mount_entry *ret);

/* Is what fd is open to of the device `dev`? A mount that answers nobody is not asked. */
bool mountinfo_is(int fd, const char *dev);

/* The kind of file system that fd is on. */
enum mount_kind {
	MOUNT_LOCAL,
	MOUNT_SHARE, /* another machine's, or that of a process which may use one (FUSE) */
	MOUNT_OTHER, /* overlayfs, or unknown */
};
enum mount_kind mountinfo_kind(int fd);
