/* SPDX-License-Identifier: Zlib */
#include "cli/merging/left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/io_copy.h"
#include "base/name.h"
#include "cli/merging/apply.h"
#include "cli/merging/conflict.h"
#include "cli/merging/order.h"
#include "vfs/files/sidecar.h"

enum { TRIES = 1000 };

char *left_over_path(const struct merged *x)
{
	CLEANUP(free) char *dir = order_path(x->up, true);
	const struct item *t = x->at[THEIRS];
	const char *slash = dir && dir[0] ? "/" : "";
	char *path;
	int r = dir ? t->object && x->later
				? asprintf(&path, "%s%s%s%s", dir, slash, x->later, t->ending)
				: asprintf(&path, "%s%s%s", dir, slash, t->name)
		    : -1;

	return r < 0 ? NULL : path;
}

static int open_dir(void *arg, int dirfd, const char *name, struct error *e)
{
	bool made;
	int fd = io_make_dir(dirfd, name, 0777, &made, e);

	(void)arg;
	if (fd >= 0 && made)
		(void)io_sync_dir(dirfd);
	return fd;
}

static int write_piece(void *arg, const void *data, size_t n)
{
	return io_write(*(int *)arg, data, n);
}

static int write_file(
	int dirfd, const char *path, struct merge *m, struct merged *x, struct error *e)
{
	CLEANUP(close_fd) int parent = -1, out = -1;
	char base[NAME_MAX + 1];
	int r;

	parent = path_open_parent(dirfd, path, open_dir, NULL, base, e);
	if (parent < 0)
		return parent;
	out = io_openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
	r = out < 0 ? out : apply_theirs(m, x, order_later, write_piece, &out);
	if (r >= 0)
		r = io_sync(out);
	if (r >= 0)
		r = io_sync_dir(parent);
	return r < 0 ? error_set(e, r, "%s: %s", path, strerror(-r)) : 0;
}

static bool is_first(const struct merge *m, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (m->conflicts[k].x == m->conflicts[i].x && m->conflicts[k].theirs)
			return false;
	return m->conflicts[i].theirs;
}

static int write_all(int dirfd, struct merge *m, struct error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n_conflicts; i++) {
		struct merged *x = m->conflicts[i].x;
		CLEANUP(free) char *path = NULL;

		if (!is_first(m, i))
			continue;
		path = left_over_path(x);
		r = path ? write_file(dirfd, path, m, x, e) : -ENOMEM;
	}
	return r;
}

static int make(struct left_over *l, struct error *e)
{
	char suffix[64] = ".mapfs-left";
	int r = -EEXIST;

	for (int i = 1; r == -EEXIST && i < TRIES; i++) {
		sidecar_name(l->made, l->name, suffix);
		r = io_mkdir(l->dirfd, l->made, 0777);
		snprintf(suffix, sizeof(suffix), ".mapfs-left.%d", i);
	}
	if (r < 0) {
		error_set(e, r, "%s cannot be made: %s", l->made, strerror(-r));
		l->made[0] = '\0';
	}
	return r;
}

int left_over_write(struct left_over *l, struct merge *m, struct error *e)
{
	CLEANUP(close_fd) int fd = -1;
	size_t n = 0;
	int r;

	l->made[0] = '\0';
	for (size_t i = 0; i < m->n_conflicts; i++)
		n += m->conflicts[i].theirs;
	if (!n)
		return 0;
	r = make(l, e);
	if (r < 0)
		return r;
	fd = openat(l->dirfd, l->made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 ? error_errno(e, "%s", l->made) : write_all(fd, m, e);
	if (r == 0)
		(void)io_sync_dir(l->dirfd);
	else
		left_over_drop(l, m);
	return r;
}

static int copy_whole(int dirfd, const char *name, struct file *from)
{
	CLEANUP(close_fd)
	int out = io_openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL, 0666);
	struct stat st;
	int r = out < 0 ? out : fstat(from->fd, &st) < 0 ? -errno : 0;

	if (r == 0)
		r = io_copy(from->fd, 0, (uint64_t)st.st_size, out);
	return r < 0 ? r : io_sync(out);
}

int left_over_map(
	struct left_over *l, const struct source *theirs, const struct format *f, struct error *e)
{
	CLEANUP(close_fd) int fd = -1;
	char second[NAME_MAX + 1] = "";
	int r = make(l, e);

	if (r < 0)
		return r;
	fd = openat(l->dirfd, l->made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 ? -errno : copy_whole(fd, l->name, theirs->files[0]);
	if (r == 0 && theirs->files[1])
		r = f->companion(l->name, 0, second) ? copy_whole(fd, second, theirs->files[1])
						     : -ENAMETOOLONG;
	if (r == 0)
		r = io_sync_dir(fd);
	if (r < 0) {
		(void)io_unlink(fd, l->name);
		if (second[0])
			(void)io_unlink(fd, second);
		(void)io_rmdir(l->dirfd, l->made);
		error_set(e, r, "%s: %s", l->made, strerror(-r));
	}
	return r;
}

void left_over_drop(struct left_over *l, struct merge *m)
{
	CLEANUP(close_fd) int fd = -1;

	if (!l->made[0])
		return;
	fd = openat(l->dirfd, l->made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (size_t i = 0; fd >= 0 && i < m->n_conflicts; i++) {
		char *path = m->conflicts[i].theirs ? left_over_path(m->conflicts[i].x) : NULL;
		char *slash;

		if (!path)
			continue;
		(void)io_unlink(fd, path);
		while ((slash = strrchr(path, '/'))) {
			*slash = '\0';
			(void)io_rmdir(fd, path);
		}
		free(path);
	}
	(void)io_rmdir(l->dirfd, l->made);
	l->made[0] = '\0';
}
