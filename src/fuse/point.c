/* SPDX-License-Identifier: Zlib */
#include "fuse/point.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

/* 1, 0, or -errno: -ENOTCONN where a mount stands whose worker has died. */
static int is_empty(const char *path)
{
	struct dirent *d;
	bool empty = true;
	DIR *dir = opendir(path);

	if (!dir)
		return -errno;
	while (empty && (d = readdir(dir)))
		empty = strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0;
	closedir(dir);
	return empty;
}

static int refuse(const char *path, int r, struct error *e)
{
	if (r == -ENOTCONN)
		return error_set(e, r,
			"mount point %s: %s: the processes of the mount that stands there were "
			"killed; mapfs -u %s first",
			path, strerror(-r), path);
	return error_set(e, r, "mount point %s: %s", path, strerror(-r));
}

int point_look(const struct mount_request *rq, bool *ret_covers, struct error *e)
{
	const char *path = rq->mountpoint;
	bool make = rq->make_mountpoint;
	struct stat st;
	int r;

	*ret_covers = false;
	if ((make ? lstat(path, &st) : stat(path, &st)) < 0)
		return make && errno == ENOENT ? 0 : refuse(path, -errno, e);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, -ENOTDIR,
			make ? "the mount point %s would stand where a file is; name another"
			     : "mount point %s is not a directory",
			path);
	/* The attributes of a dead mount may be in the kernel's cache. */
	r = is_empty(path);
	if (r == -ENOTCONN || (make && r < 0))
		return refuse(path, r, e);
	if (make && r == 0)
		return error_set(e, -ENOTEMPTY,
			"the mount point %s is a directory that is not empty; name another", path);
	*ret_covers = r == 0;
	return 0;
}

int point_take(const struct mount_request *rq, char **ret_path, bool *ret_made, struct error *e)
{
	CLEANUP(free) char *path = NULL;
	bool made = false, covers;
	int r = point_look(rq, &covers, e);

	if (r < 0)
		return r;
	if (rq->make_mountpoint) {
		made = mkdir(rq->mountpoint, 0755) == 0;
		if (!made && errno != EEXIST)
			return error_errno(e, "cannot make the mount point %s", rq->mountpoint);
	}
	path = realpath(rq->mountpoint, NULL);
	if (!path)
		return error_errno(e, "mount point %s", rq->mountpoint);
	*ret_path = TAKE(path);
	*ret_made = made;
	return 0;
}
