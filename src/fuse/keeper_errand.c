/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_errand.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"

static int open_inside(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static int flush_path(int root, const char *path)
{
	CLEANUP(close_fd) int fd = open_inside(root, path, O_RDONLY);

	if (fd < 0 && errno == EACCES)
		fd = open_inside(root, path, O_WRONLY);
	if (fd < 0 || fsync(fd) < 0)
		return errno;
	return 0;
}

int errand_flush(const struct errand_flush *f)
{
	CLEANUP(close_fd) int root = open(f->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	char dev[24];
	int failed = 0;

	if (root < 0 || fstat(root, &st) < 0)
		return errno;
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_dev), minor(st.st_dev));
	if (strcmp(dev, f->dev) != 0)
		return ENOENT;
	for (char **path = f->paths; *path; path++) {
		int r = flush_path(root, *path);

		failed = failed ? failed : r;
	}
	return failed;
}
