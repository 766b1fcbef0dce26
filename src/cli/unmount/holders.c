/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/holders.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/disk/dir.h"
#include "base/print.h"

/* Is the link's target on the device? statx does not access the mount if only the device is wanted:
 * the mount may belong to another user, or its worker may be stopped. */
static bool is_on(dev_t dev, int dirfd, const char *link)
{
	struct statx st;

	return statx(dirfd, link, AT_STATX_DONT_SYNC, 0, &st) == 0 &&
	       makedev(st.stx_dev_major, st.stx_dev_minor) == dev;
}

/* Describe an open file of the mount: "has FILE open". NULL if none; the caller frees it. */
static char *find_open_file(dev_t dev, int process)
{
	int r;
	CLEANUP(dir_close) DIR *dir = dir_open(process, "fd", &r);
	char path[PATH_MAX], *what = NULL;
	const struct dirent *e;

	while (r == 0 && !what && (e = dir_next(dir, &r))) {
		ssize_t n = is_on(dev, dirfd(dir), e->d_name)
				    ? readlinkat(dirfd(dir), e->d_name, path, sizeof(path))
				    : 0;

		what = n > 0 ? text_printf("has %.*s open", (int)n, path) : NULL;
	}
	return what;
}

static bool maps_file(dev_t dev, int process)
{
	int fd = openat(process, "maps", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	CLEANUP(free) char *line = NULL;
	unsigned major, minor;
	size_t room = 0;
	bool found = false;

	while (f && !found && getline(&line, &room, f) > 0)
		found = sscanf(line, "%*s %*s %*s %x:%x", &major, &minor) == 2 &&
			makedev(major, minor) == dev;
	if (f)
		fclose(f);
	return found;
}

/* Describe how a process uses the mount. The caller frees the text. Returns NULL if it does not. */
static char *find_use(dev_t dev, int process)
{
	char *what = find_open_file(dev, process);

	if (what)
		return what;
	if (is_on(dev, process, "cwd") || is_on(dev, process, "root"))
		return strdup("has its working directory there; leave it first (cd ..)");
	return maps_file(dev, process) ? strdup("has mapped a file of it") : NULL;
}

static void add_holder(int process, const char *pid, const char *what, struct names *ret)
{
	CLEANUP(close_fd) int fd = openat(process, "comm", O_RDONLY | O_CLOEXEC);
	char name[64] = "?";
	ssize_t n = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);
	CLEANUP(free)
	char *line = text_printf("%.*s (process %s) %s", n > 1 ? (int)n - 1 : 1, name, pid, what);

	if (line)
		(void)names_add(ret, replace_unprintable(line));
}

void holders_find(const char *dev, struct names *ret)
{
	unsigned major, minor;
	int r;
	CLEANUP(dir_close) DIR *dir = dir_open(AT_FDCWD, "/proc", &r);
	const struct dirent *e;

	if (sscanf(dev, "%u:%u", &major, &minor) != 2)
		return;
	while (r == 0 && (e = dir_next(dir, &r))) {
		CLEANUP(close_fd) int process = -1;
		CLEANUP(free) char *what = NULL;

		if (!strchr("123456789", *e->d_name) || atol(e->d_name) == getpid())
			continue;
		process = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		what = process < 0 ? NULL : find_use(makedev(major, minor), process);
		if (what)
			add_holder(process, e->d_name, what, ret);
	}
}
