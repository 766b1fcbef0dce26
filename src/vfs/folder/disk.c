/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/nearby.h"

enum { LINKS_MAX = 8 };
/* A mount is not even looked at: it may be our own, which waits for us. */
#define WITHIN (RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS)

static int open_within(int dirfd, const char *path, int flags, unsigned long long resolve)
{
	struct open_how how = {.flags = (unsigned)flags | O_CLOEXEC, .resolve = resolve};
	long fd;

	do {
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
	} while (fd < 0 && (errno == EAGAIN || errno == EINTR));
	return fd < 0 ? -errno : (int)fd;
}

bool disk_shown(const char *name)
{
	const char *own = strstr(name, ".mapfs-");

	return name[0] != '.' && !own;
}

bool disk_is_map(const char *name)
{
	return volume_format_for(NULL, name) != NULL;
}

int disk_open(const struct folder *f, const struct level *l, bool path)
{
	CLEANUP(free) char *to = level_path(l, NULL);
	int flags = O_DIRECTORY | (path ? O_PATH : O_RDONLY);

	if (!to)
		return -ENOMEM;
	return open_within(f->dirfd, *to ? to : ".", flags, WITHIN | RESOLVE_NO_SYMLINKS);
}

static bool may(int fd, int what)
{
	return faccessat(fd, "", what, AT_EACCESS | AT_EMPTY_PATH) == 0;
}

/* dir/target, or target within the folder where it is absolute; malloc'ed. */
static char *follow(const struct folder *f, const char *dir, const char *target)
{
	size_t n = strlen(f->path);
	char *path;

	if (target[0] == '/' && (strncmp(target, f->path, n) != 0 || target[n] != '/'))
		return NULL;
	if (target[0] == '/')
		return strdup(target + n + 1);
	return asprintf(&path, "%s%s%s", dir, *dir ? "/" : "", target) < 0 ? NULL : path;
}

/* The path of what a link leads to in the end, through other links; in the folder. */
static int resolve(const struct folder *f, const struct level *l, const char *name, char **ret)
{
	CLEANUP(free) char *path = level_path(l, name);
	char target[PATH_MAX];

	for (int i = 0; path && i < LINKS_MAX; i++) {
		CLEANUP(close_fd) int fd = open_within(f->dirfd, path, O_PATH | O_NOFOLLOW, WITHIN);
		char *slash = strrchr(path, '/'), *next;
		struct stat st;
		ssize_t n;

		if (fd < 0 || fstat(fd, &st) < 0)
			return fd < 0 ? fd : -errno;
		if (S_ISREG(st.st_mode)) {
			*ret = TAKE(path);
			return 0;
		}
		n = S_ISLNK(st.st_mode) ? readlinkat(fd, "", target, sizeof(target) - 1) : -1;
		if (n <= 0)
			return -ENOENT;
		target[n] = '\0';
		if (slash)
			*slash = '\0';
		next = follow(f, slash ? path : "", target);
		free(path);
		path = next;
		if (!path)
			return -ENOENT;
	}
	return path ? -ELOOP : -ENOMEM;
}

static int look_at(
	const struct folder *f, const struct level *l, int dirfd, const char *name, int *ret_fd)
{
	CLEANUP(free) char *path = NULL;
	struct stat st;
	int r;

	*ret_fd = open_within(dirfd, name, O_PATH | O_NOFOLLOW, WITHIN);
	if (*ret_fd < 0 || fstat(*ret_fd, &st) < 0 || !S_ISLNK(st.st_mode))
		return *ret_fd < 0 ? *ret_fd : 0;
	close(*ret_fd);
	*ret_fd = -1;
	r = resolve(f, l, name, &path);
	if (r == 0)
		*ret_fd = r = open_within(f->dirfd, path, O_PATH | O_NOFOLLOW, WITHIN);
	return r < 0 ? r : 0;
}

int disk_look(const struct folder *f, const struct level *l, int dirfd, const char *name,
	struct found *ret)
{
	CLEANUP(close_fd) int fd = -1;
	int r;

	if (!disk_shown(name))
		return -ENOENT;
	r = look_at(f, l, dirfd, name, &fd);
	if (r == 0 && fstat(fd, &ret->st) < 0)
		r = -errno;
	/* Mounts, links that lead nowhere or elsewhere */
	if (r == -EXDEV || r == -ELOOP || r == -ENOTDIR)
		r = -ENOENT;
	if (r < 0)
		return r;
	ret->dir = S_ISDIR(ret->st.st_mode);
	if (!ret->dir && !(S_ISREG(ret->st.st_mode) && disk_is_map(name)))
		return -ENOENT;
	ret->read_only =
		f->options->read_only || !may(fd, W_OK) || (!ret->dir && !may(dirfd, W_OK));
	ret->secret = !ret->dir && !may(fd, R_OK);
	return 0;
}

int disk_find(const struct folder *f, const struct level *l, const char *name, struct found *ret)
{
	CLEANUP(close_fd) int fd = disk_open(f, l, true);

	return fd < 0 ? fd : disk_look(f, l, fd, name, ret);
}

int disk_target(const struct folder *f, const struct level *l, const char *name, int *ret_dirfd,
	char ret_name[NAME_MAX + 1])
{
	CLEANUP(free) char *path = NULL, *own = level_path(l, name);
	char *slash;
	int r = own ? resolve(f, l, name, &path) : -ENOMEM;

	if (r == 0 && strcmp(path, own) == 0)
		r = -EINVAL;
	if (r < 0)
		return r;
	slash = strrchr(path, '/');
	snprintf(ret_name, NAME_MAX + 1, "%s", slash ? slash + 1 : path);
	if (slash)
		*slash = '\0';
	r = open_within(f->dirfd, slash ? path : ".", O_RDONLY | O_DIRECTORY, WITHIN);
	if (r < 0)
		return r;
	*ret_dirfd = r;
	return 0;
}

int shared_dir_get(const struct folder *f, struct level *l, struct shared_dir **ret)
{
	CLEANUP(close_fd) int fd = disk_open(f, l, false);
	struct shared_dir *d = l->dir;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fd < 0 ? fd : -errno;
	/* Another directory may have its name now. */
	if (!d || d->dev != st.st_dev || d->ino != st.st_ino) {
		d = calloc(1, sizeof(*d));
		if (!d)
			return -ENOMEM;
		*d = (struct shared_dir){take_fd(&fd), NULL, st.st_dev, st.st_ino, 0, l};
		d->nearby = nearby_create(d->fd);
		if (!d->nearby) {
			close(d->fd);
			free(d);
			return -ENOMEM;
		}
		l->dir = d;
	}
	d->users++;
	*ret = d;
	return 0;
}

void shared_dir_unref(struct shared_dir *d)
{
	if (!d || --d->users)
		return;
	if (d->of->dir == d)
		d->of->dir = NULL;
	nearby_destroy(d->nearby);
	close(d->fd);
	free(d);
}
