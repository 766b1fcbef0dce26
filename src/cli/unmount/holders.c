/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/holders.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
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

/* "has FILE open"; NULL: it has none. The caller's. */
static char *opened(const struct device *d, int process)
{
	int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char path[PATH_MAX], *what = NULL;
	struct dirent *e;

	while (dir && !what && (e = readdir(dir))) {
		bool found = is_on(d, fd, e->d_name);
		ssize_t n = found ? readlinkat(fd, e->d_name, path, sizeof(path)) : 0;

		what = found ? text_printf("has %.*s open", n > 0 ? (int)n : 0, path) : NULL;
	}
	if (dir)
		closedir(dir);
	return what;
}

static FILE *open_text(int process, const char *name)
{
	int fd = openat(process, name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "r");
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

/* What it does there; NULL: nothing. The caller's. */
static char *use_of(const struct device *d, int process)
{
	char *what = opened(d, process);

	if (what)
		return what;
	if (is_on(d, process, "cwd") || is_on(d, process, "root"))
		return strdup("works in it");
	return maps(d, process) ? strdup("has a file of it mapped") : NULL;
}

static void add(int process, const char *pid, const char *what, struct names *ret)
{
	FILE *f = open_text(process, "comm");
	CLEANUP(free) char *line = NULL;
	char name[64];

	if (!f || !fgets(name, sizeof(name), f))
		strcpy(name, "?");
	name[strcspn(name, "\n")] = '\0';
	if (f)
		fclose(f);
	line = text_printf("%s (process %s) %s", name, pid, what);
	if (line)
		(void)names_add(ret, printable(line));
}

void holders_find(const char *dev, struct names *ret)
{
	struct device d;
	bool known = sscanf(dev, "%u:%u", &d.major, &d.minor) == 2;
	DIR *dir = known ? opendir("/proc") : NULL;
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		CLEANUP(close_fd) int process = -1;
		CLEANUP(free) char *what = NULL;
		long pid = atol(e->d_name);

		if (pid <= 0 || pid == getpid())
			continue;
		process = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		what = process < 0 ? NULL : use_of(&d, process);
		if (what)
			add(process, e->d_name, what, ret);
	}
	if (dir)
		closedir(dir);
}
