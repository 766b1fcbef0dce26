/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/disk/sidecar_cache.h"
#include "base/name.h"

enum { LINKS_MAX = 8 };

/* Are both descriptors on the same mount? AT_STATX_DONT_SYNC keeps the kernel from asking the
 * mounted file system, which may be our own and would wait for this thread. */
static bool is_one_mount(int a, int b)
{
	const int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
	struct statx x, y;

	return statx(a, "", flags, STATX_MNT_ID, &x) == 0 &&
	       statx(b, "", flags, STATX_MNT_ID, &y) == 0 && x.stx_dev_major == y.stx_dev_major &&
	       x.stx_dev_minor == y.stx_dev_minor &&
	       /* Linux before 5.8 has no mount ids. */
	       (!(x.stx_mask & y.stx_mask & STATX_MNT_ID) || x.stx_mnt_id == y.stx_mnt_id);
}

/* Open a name with O_PATH, without following links. -EXDEV: it is a mount point. */
static int open_name(int dirfd, const char *name)
{
	CLEANUP(close_fd) int fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return is_one_mount(dirfd, fd) ? take_fd(&fd) : -EXDEV;
}

static int open_level(void *, int dirfd, const char *name, struct error *)
{
	return open_name(dirfd, name);
}

/* Open a path in the folder with O_PATH, without following links. */
static int open_path(const struct folder *f, const char *path)
{
	char name[NAME_MAX + 1];
	CLEANUP(close_fd)
	int dirfd = path_open_parent(f->dirfd, path, open_level, NULL, name, NULL);

	return dirfd < 0 ? dirfd : open_name(dirfd, name);
}

/* Open a directory in the folder with these flags; "" is the folder itself. */
static int open_dir(const struct folder *f, const char *path, int flags)
{
	CLEANUP(close_fd) int dirfd = *path ? open_path(f, path) : -1;
	int fd;

	if (*path && dirfd < 0)
		return dirfd;
	fd = openat(*path ? dirfd : f->dirfd, ".", flags | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
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

	return to ? open_dir(f, to, path ? O_PATH : O_RDONLY) : -ENOMEM;
}

static bool has_access(int fd, int what)
{
	return faccessat(fd, "", what, AT_EACCESS | AT_EMPTY_PATH) == 0;
}

/* A path in the folder that is being resolved: the part without links, and the rest. */
struct way {
	char done[PATH_MAX], text[PATH_MAX];
	char *rest; /* points into text; NULL at the end */
	unsigned links;
};

static void go_up(struct way *w)
{
	char *slash = strrchr(w->done, '/');

	*(slash ? slash : w->done) = '\0';
}

/* Replace the last name of the resolved part, which is a link, by its target. */
static int follow_link(const struct folder *f, struct way *w, int fd)
{
	char target[PATH_MAX], text[PATH_MAX];
	ssize_t size = readlinkat(fd, "", target, sizeof(target) - 1);
	size_t n = strlen(f->path);

	if (size < 0)
		return -errno;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	target[size] = '\0';
	go_up(w);
	if (target[0] == '/') {
		if (strncmp(target, f->path, n) != 0 || target[n] != '/')
			return -ENOENT;
		memmove(target, target + n, strlen(target + n) + 1);
		w->done[0] = '\0';
	}
	if (snprintf(text, sizeof(text), "%s/%s", target, w->rest ? w->rest : "") >=
		(int)sizeof(text))
		return -ENAMETOOLONG;
	w->rest = strcpy(w->text, text);
	return 0;
}

/* Resolve one more name. */
static int walk_one_name(const struct folder *f, struct way *w)
{
	CLEANUP(close_fd) int fd = -1;
	const char *name = strsep(&w->rest, "/");
	size_t done = strlen(w->done);
	struct stat st;

	if (!*name || strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		go_up(w);
		return done ? 0 : -ENOENT;
	}
	if (done + strlen(name) + 2 > sizeof(w->done))
		return -ENAMETOOLONG;
	sprintf(w->done + done, "%s%s", done ? "/" : "", name);
	fd = open_path(f, w->done);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fd < 0 ? fd : -errno;
	return S_ISLNK(st.st_mode) ? follow_link(f, w, fd) : 0;
}

/* Resolve a name and all links on the way to ret->done. -ENOENT if that leaves the folder. */
static int resolve_link(
	const struct folder *f, const struct level *l, const char *name, struct way *ret)
{
	CLEANUP(free) char *path = level_path(l, name);
	int r = path ? 0 : -ENOMEM;

	ret->done[0] = '\0';
	ret->links = 0;
	if (r == 0 && snprintf(ret->text, sizeof(ret->text), "%s", path) >= (int)sizeof(ret->text))
		r = -ENAMETOOLONG;
	for (ret->rest = ret->text; r == 0 && ret->rest;)
		r = walk_one_name(f, ret);
	return r < 0 ? r : ret->done[0] ? 0 : -ENOENT;
}

static int open_target(const struct folder *f, const struct level *l, int dirfd, const char *name)
{
	CLEANUP(close_fd) int fd = open_name(dirfd, name);
	struct stat st;
	struct way w;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISLNK(st.st_mode))
		return fd < 0 ? fd : take_fd(&fd);
	close_fd_cleanup(&fd);
	r = resolve_link(f, l, name, &w);
	if (r == 0)
		r = fd = open_path(f, w.done);
	if (r >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		return -ENOENT;
	return r < 0 ? r : take_fd(&fd);
}

int disk_look(const struct folder *f, const struct level *l, int dirfd, const char *name,
	struct found *ret)
{
	CLEANUP(close_fd) int fd = disk_shown(name) ? open_target(f, l, dirfd, name) : -ENOENT;
	int r = fd < 0 ? fd : fstat(fd, &ret->st) < 0 ? -errno : 0;

	/* mount points, link loops, and links through files */
	if (r == -EXDEV || r == -ELOOP || r == -ENOTDIR)
		r = -ENOENT;
	if (r < 0)
		return r;
	ret->dir = S_ISDIR(ret->st.st_mode);
	if (!ret->dir && !(S_ISREG(ret->st.st_mode) && disk_is_map(name)))
		return -ENOENT;
	ret->read_only = f->options->read_only || !has_access(fd, W_OK) ||
			 (!ret->dir && !has_access(dirfd, W_OK));
	ret->secret = !ret->dir && !has_access(fd, R_OK);
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
	CLEANUP(free) char *own = level_path(l, name);
	struct way w;
	char *slash;
	int r = own ? resolve_link(f, l, name, &w) : -ENOMEM;

	if (r == 0 && strcmp(w.done, own) == 0)
		r = -EINVAL;
	if (r < 0)
		return r;
	slash = strrchr(w.done, '/');
	snprintf(ret_name, NAME_MAX + 1, "%.*s", NAME_MAX, slash ? slash + 1 : w.done);
	go_up(&w);
	r = open_dir(f, w.done, O_RDONLY);
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
	/* Another directory may have this name by now. */
	if (!d || d->dev != st.st_dev || d->ino != st.st_ino) {
		d = calloc(1, sizeof(*d));
		if (!d)
			return -ENOMEM;
		*d = (struct shared_dir){take_fd(&fd), NULL, st.st_dev, st.st_ino, 0, l};
		d->sidecars = sidecar_cache_create(d->fd);
		if (!d->sidecars) {
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
	if (d->level->dir == d)
		d->level->dir = NULL;
	sidecar_cache_destroy(d->sidecars);
	close(d->fd);
	free(d);
}
