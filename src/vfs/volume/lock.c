/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

/* The lock is on the inode; was it still the one of this name when we got it? */
static bool still_named(const struct volume *vol, int fd)
{
	struct stat now, ours;

	return fstatat(vol->dirfd, vol->name, &now, 0) == 0 && fstat(fd, &ours) == 0 &&
	       now.st_dev == ours.st_dev && now.st_ino == ours.st_ino;
}

int lock_open(const struct volume *vol, struct error *e)
{
	CLEANUP(close_fd) int fd = -1;

	for (int tries = 0; tries < 8; tries++) {
		close_fd_cleanup(&fd);
		fd = openat(vol->dirfd, vol->name, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			return error_errno(e, "cannot be opened");
		if (vol->read_only)
			return take_fd(&fd);
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			if (errno == EWOULDBLOCK)
				return error_set(
					e, VOLUME_LOCKED, "is mounted for writing already");
			if (errno != ENOLCK && errno != EOPNOTSUPP)
				return error_errno(e, "cannot be locked");
		}
		if (still_named(vol, fd))
			return take_fd(&fd);
	}
	return error_set(e, VOLUME_LOCKED, "is being replaced by another program");
}
