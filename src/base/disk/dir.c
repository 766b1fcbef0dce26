/* SPDX-License-Identifier: Zlib */
#include "base/disk/dir.h"

#include <fcntl.h>
#include <string.h>

DIR *dir_open(int dirfd, const char *path, int *r)
{
	CLEANUP(close_fd) int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	*r = dir ? 0 : -errno;
	if (dir)
		(void)take_fd(&fd);
	return dir;
}

const struct dirent *dir_next(DIR *dir, int *r)
{
	const struct dirent *d;

	do {
		errno = 0;
		d = readdir(dir);
	} while (d && (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0));
	*r = d ? 0 : -errno;
	return d;
}

void dir_close(DIR *dir)
{
	if (dir)
		closedir(dir);
}
