/* SPDX-License-Identifier: Zlib */
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
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

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Compare two numbers by value, and move *a and *b past them. */
static int compare_numbers(const char **a, const char **b)
{
	size_t n, m;
	int r;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	n = strspn(*a, "0123456789");
	m = strspn(*b, "0123456789");
	r = n != m ? (n < m ? -1 : 1) : strncmp(*a, *b, n);
	*a += n;
	*b += m;
	return r;
}

int name_compare(const char *a, const char *b)
{
	const char *p = a, *q = b;
	int r = 0;

	while (r == 0 && *p && *q)
		if (is_digit(*p) && is_digit(*q))
			r = compare_numbers(&p, &q);
		else if (*p == *q)
			p++, q++;
		else
			break;
	if (r == 0)
		r = (uint8_t)*p - (uint8_t)*q;
	return r ? r : strcmp(a, b);
}

int path_next(const char **path, char ret[NAME_MAX + 1])
{
	do {
		size_t n;

		*path += strspn(*path, "/");
		n = strcspn(*path, "/");
		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(ret, *path, n);
		ret[n] = '\0';
		*path += n;
	} while (strcmp(ret, ".") == 0);
	return strcmp(ret, "..") == 0 ? -ENOENT : ret[0] != '\0';
}

char *path_join(const char *dir, const char *name)
{
	return text_printf("%s%s%s", dir, dir[0] ? "/" : "", name);
}

int path_check(const char *path)
{
	const char *end;
	int r;

	do {
		end = strchrnul(path, '/');
		r = name_check(path, (size_t)(end - path));
		path = end + 1;
	} while (r == 0 && *end);
	return r;
}

int path_open_parent(int dirfd, const char *path, path_open_dir open_dir, void *arg,
	char ret_name[NAME_MAX + 1], struct error *e)
{
	CLEANUP(close_fd) int fd = fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
	const char *rest = path;
	int r = path_check(path);

	if (fd < 0)
		return error_errno(e, "%s", path);
	if (r < 0)
		return error_set(e, r, "%s: invalid path", path);
	while (path_next(&rest, ret_name) > 0 && *rest) {
		r = open_dir(arg, fd, ret_name, e);
		if (r < 0)
			return r;
		close_fd_cleanup(&fd);
		fd = r;
	}
	return take_fd(&fd);
}
