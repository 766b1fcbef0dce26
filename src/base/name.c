/* SPDX-License-Identifier: Zlib */
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"

int name_check(const char *name, size_t n)
{
	if (!n || memchr(name, '/', n) || memchr(name, '\0', n))
		return -EINVAL;
	if (name[0] == '.' && (n == 1 || (n == 2 && name[1] == '.')))
		return -EINVAL;
	return n > NAME_MAX ? -ENAMETOOLONG : 0;
}

bool name_is_random(const char *name)
{
	static const char *const begins[] = {"sed", "XX", "zi"};
	static const char random[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		size_t n = strlen(begins[i]);

		if (strncmp(name, begins[i], n) == 0 && strlen(name) == n + 6 &&
			strspn(name + n, random) == 6)
			return true;
	}
	return false;
}

int path_next(const char **path, char ret[NAME_MAX + 1])
{
	size_t n = strcspn(*path, "/");
	int r = name_check(*path, n);

	if (r == 0 && (*path)[n] && !(*path)[n + 1])
		r = -EINVAL;
	if (r < 0)
		return r;
	memcpy(ret, *path, n);
	ret[n] = '\0';
	*path += n + ((*path)[n] == '/');
	return 0;
}

int path_check(const char *path)
{
	char name[NAME_MAX + 1];
	int r;

	do
		r = path_next(&path, name);
	while (r == 0 && *path);
	return r;
}

int path_open_parent(int dirfd, const char *path, path_open_dir open_dir, void *arg,
	char ret_name[NAME_MAX + 1], struct error *e)
{
	CLEANUP(close_fd) int fd = fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
	const char *rest = path;
	int r;

	if (fd < 0)
		return error_errno(e, "%s", path);
	while ((r = path_next(&rest, ret_name)) == 0 && *rest) {
		r = open_dir(arg, fd, ret_name, e);
		if (r < 0)
			return r;
		close_fd_cleanup(&fd);
		fd = r;
	}
	return r < 0 ? error_set(e, r, "%s: not a path of a mount", path) : take_fd(&fd);
}
