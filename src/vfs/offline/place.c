/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

static int open_parent(const char *path, int *ret_dirfd, const char **ret_name, struct error *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	CLEANUP(free) char *dir = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	int fd;

	if (!dir)
		return error_set(e, -ENOMEM, "out of memory");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, "cannot open its directory");
	*ret_dirfd = fd;
	*ret_name = name;
	return 0;
}

int place_open_parent(const char *path, int *ret_dirfd, const char **ret_name, struct error *e)
{
	const char *slash = strrchr(path, '/');
	size_t n = strlen(slash ? slash + 1 : path);

	if (n == 0 || n > NAME_MAX)
		return error_set(e, -EINVAL, "invalid file name");
	return open_parent(path, ret_dirfd, ret_name, e);
}

int place_resolve(const char *file, bool gone, int *ret_dirfd, char **ret_name, struct error *e)
{
	CLEANUP(free) char *path = realpath(file, NULL), *copy = NULL;
	CLEANUP(close_fd) int dirfd = -1;
	const char *name = NULL;
	int r;

	if (!path && errno == ENOENT && gone)
		path = strdup(file);
	if (!path)
		return error_set(e, -errno, "%s", strerror(errno));
	r = open_parent(path, &dirfd, &name, e);
	if (r < 0)
		return r;
	copy = strdup(name);
	if (!copy)
		return error_set(e, -ENOMEM, "out of memory");
	*ret_dirfd = take_fd(&dirfd);
	*ret_name = TAKE(copy);
	return 0;
}
