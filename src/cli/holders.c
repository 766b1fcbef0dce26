/* SPDX-License-Identifier: Zlib */
#include "cli/holders.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/say.h"

struct device {
	unsigned major, minor;
};

/* Of nothing but the device the kernel answers without the mount: it may be another user's, or its
 * worker stopped. */
static bool is_on(const struct device *d, int dirfd, const char *link)
{
	struct statx st;

	return statx(dirfd, link, AT_STATX_DONT_SYNC, 0, &st) == 0 &&
	       st.stx_dev_major == d->major && st.stx_dev_minor == d->minor;
}

static bool opens(const struct device *d, int process, char *ret, size_t room)
{
	int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char path[PATH_MAX];
	struct dirent *e;
	bool found = false;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (e = readdir(dir))) {
		ssize_t n;

		if (!isdigit((unsigned char)e->d_name[0]) || !is_on(d, fd, e->d_name))
			continue;
		n = readlinkat(fd, e->d_name, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		snprintf(ret, room, "has %s open", path);
		found = true;
	}
	closedir(dir);
	return found;
}

static FILE *open_text(int process, const char *name)
{
	int fd = openat(process, name, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

static bool maps(const struct device *d, int process)
{
	FILE *f = open_text(process, "maps");
	CLEANUP(free) char *line = NULL;
	size_t room = 0;
	struct device at;
	bool found = false;

	while (f && !found && getline(&line, &room, f) > 0)
		found = sscanf(line, "%*s %*s %*s %x:%x", &at.major, &at.minor) == 2 &&
			at.major == d->major && at.minor == d->minor;
	if (f)
		fclose(f);
	return found;
}

static bool holds(const struct device *d, int process, char *ret, size_t room)
{
	if (opens(d, process, ret, room))
		return true;
	if (is_on(d, process, "cwd") || is_on(d, process, "root"))
		snprintf(ret, room, "works in it");
	else if (maps(d, process))
		snprintf(ret, room, "has a file of it mapped");
	else
		return false;
	return true;
}

static void name_of(int process, char *ret, int room)
{
	FILE *f = open_text(process, "comm");

	if (!f || !fgets(ret, room, f))
		snprintf(ret, (size_t)room, "?");
	ret[strcspn(ret, "\n")] = '\0';
	printable(ret);
	if (f)
		fclose(f);
}

size_t holders_find(const char *dev,
	void (*fn)(void *arg, pid_t pid, const char *name, const char *what), void *arg)
{
	struct device d;
	struct dirent *e;
	DIR *dir = opendir("/proc");
	size_t n = 0;

	if (!dir || sscanf(dev, "%u:%u", &d.major, &d.minor) != 2) {
		if (dir)
			closedir(dir);
		return 0;
	}
	while ((e = readdir(dir))) {
		CLEANUP(close_fd) int process = -1;
		char name[64], what[PATH_MAX + 32];
		pid_t pid = (pid_t)atol(e->d_name);

		if (pid <= 0 || pid == getpid())
			continue;
		process = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (process < 0 || !holds(&d, process, what, sizeof(what)))
			continue;
		name_of(process, name, sizeof(name));
		printable(what);
		fn(arg, pid, name, what);
		n++;
	}
	closedir(dir);
	return n;
}
