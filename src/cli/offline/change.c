/* SPDX-License-Identifier: Zlib */
#include "cli/offline/change.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 20, DEPTH_MAX = 1000 };

ssize_t change_from_fd(void *arg, void *dst, size_t n)
{
	ssize_t got;

	do
		got = read(*(int *)arg, dst, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static int write_all(struct offline *t, struct handle *h, change_source source, void *arg)
{
	CLEANUP(free) char *piece = malloc(PIECE);
	uint64_t off = 0;
	ssize_t n = 0;
	int r = piece ? 0 : -ENOMEM;

	while (r == 0 && (n = source(arg, piece, PIECE)) > 0) {
		struct pending p = {
			.call = {.handle = h, .off = off, .data = piece, .size = (size_t)n}};

		r = offline_run(t, &p, vfs_write);
		off += (uint64_t)n;
	}
	return r < 0 ? r : n < 0 ? (int)n : 0;
}

static void set_time(struct offline *t, uint64_t ino, const struct timespec *mtime)
{
	struct pending p = {.call = {.ino = ino, .set = {.mtime = *mtime}, .mask = ATTR_MTIME}};

	(void)offline_run(t, &p, vfs_setattr);
}

/* The reason is the file's; a draft. */
static int refused(struct offline *t, uint64_t ino, int r, struct error *e)
{
	CLEANUP(free) char *why = NULL;

	if (r == -EINVAL && offline_getxattr(t, ino, "user.mapfs.error", &why) == 0)
		return error_set(e, r, "%s", why);
	return error_set(e, r, "%s", strerror(-r));
}

/* The file is looked up, or made; open in any case. */
static int open_for_writing(
	struct offline *t, uint64_t dir, const char *name, uint64_t *ret_ino, struct handle **ret)
{
	struct attr a;
	struct pending p = {.call = {.flags = O_WRONLY | O_TRUNC}};
	int r = offline_lookup(t, dir, name, &a);

	if (r == 0) {
		p.call.ino = a.ino;
		r = offline_run(t, &p, vfs_open);
		if (r < 0)
			offline_forget(t, a.ino);
	} else if (r == -ENOENT) {
		p = (struct pending){
			.call = {.ino = dir,
				.name = name,
				.flags = O_WRONLY | O_CREAT,
				.set = {.mode = 0644, .uid = geteuid(), .gid = getegid()}}};
		r = offline_run(t, &p, vfs_create_file);
		a = p.call.attr;
	}
	*ret_ino = a.ino;
	*ret = p.call.opened;
	return r;
}

int change_put(struct offline *t, const char *path, change_source source, void *arg,
	const struct timespec *mtime, struct error *e)
{
	char name[NAME_MAX + 1];
	struct pending p;
	struct handle *h;
	uint64_t dir, ino;
	int r = offline_find_parent(t, path, &dir, name), closed;

	if (r == 0 && !name[0])
		r = -EISDIR;
	if (r < 0)
		return error_set(e, r, "%s", strerror(-r));
	r = open_for_writing(t, dir, name, &ino, &h);
	offline_forget(t, dir);
	if (r < 0)
		return error_set(e, r, "%s", strerror(-r));
	r = write_all(t, h, source, arg);
	if (r < 0)
		error_set(e, r, "%s", strerror(-r));
	p = (struct pending){.call = {.handle = h}};
	closed = offline_run(t, &p, vfs_flush);
	p = (struct pending){.call = {.handle = h}};
	(void)offline_run(t, &p, vfs_release);
	if (r == 0 && closed < 0)
		r = refused(t, ino, closed, e);
	if (r == 0 && mtime)
		set_time(t, ino, mtime);
	offline_forget(t, ino);
	return r;
}

int change_mkdir(struct offline *t, const char *path)
{
	char name[NAME_MAX + 1];
	struct pending p = {
		.call = {.name = name, .set = {.mode = 0755, .uid = geteuid(), .gid = getegid()}}};
	uint64_t dir;
	struct attr a;
	int r = offline_find_parent(t, path, &dir, name);

	if (r < 0)
		return r;
	r = name[0] ? offline_lookup(t, dir, name, &a) : -EEXIST;
	if (r == 0) {
		r = S_ISDIR(a.mode) ? -EEXIST : -ENOTDIR;
		offline_forget(t, a.ino);
	} else if (r == -ENOENT) {
		p.call.ino = dir;
		r = offline_run(t, &p, vfs_mkdir);
		if (r == 0)
			offline_forget(t, p.call.attr.ino);
	}
	offline_forget(t, dir);
	return r == -EEXIST ? 0 : r;
}

int change_mkdirs(struct offline *t, const char *path)
{
	CLEANUP(free) char *copy = strdup(path);
	int r = copy ? 0 : -ENOMEM;

	for (char *at = copy; r == 0 && at && (at = strchr(at + 1, '/')); *at = '/') {
		*at = '\0';
		r = change_mkdir(t, copy);
	}
	return r < 0 ? r : change_mkdir(t, path);
}

int change_rename(struct offline *t, const char *from, const char *to)
{
	char name[NAME_MAX + 1], to_name[NAME_MAX + 1];
	struct pending p = {.call = {.name = name, .to_name = to_name}};
	int r = offline_find_parent(t, from, &p.call.ino, name);

	if (r < 0)
		return r;
	r = offline_find_parent(t, to, &p.call.to_ino, to_name);
	if (r == 0) {
		uint64_t dir = p.call.ino, to_dir = p.call.to_ino;

		r = name[0] && to_name[0] ? offline_run(t, &p, vfs_rename) : -EPERM;
		offline_forget(t, to_dir);
		offline_forget(t, dir);
		return r;
	}
	offline_forget(t, p.call.ino);
	return r;
}

int change_remove(struct offline *t, const char *path, bool dir)
{
	char name[NAME_MAX + 1];
	struct pending p = {.call = {.name = name}};
	uint64_t parent;
	int r = offline_find_parent(t, path, &parent, name);

	if (r < 0)
		return r;
	p.call.ino = parent;
	r = name[0] ? offline_run(t, &p, dir ? vfs_rmdir : vfs_unlink) : -EPERM;
	offline_forget(t, parent);
	return r;
}

static int remove_below(struct offline *t, uint64_t dir, const char *name, unsigned depth)
{
	struct pending p = {.call = {.ino = dir, .name = name}};
	struct names names;
	struct attr a;
	int r = depth < DEPTH_MAX ? offline_lookup(t, dir, name, &a) : -ELOOP;

	if (r < 0)
		return r;
	if (S_ISDIR(a.mode)) {
		/* As they are listed: what is always there goes last. */
		r = offline_names(t, a.ino, false, &names);
		for (size_t i = 0; r == 0 && i < names.n; i++) {
			r = remove_below(t, a.ino, names.at[i], depth + 1);
			if (r == -EPERM || r == -EACCES || r == -EROFS || r == -ENOTEMPTY)
				r = 0;
		}
		names_finish(&names);
	}
	offline_forget(t, a.ino);
	return r < 0 ? r : offline_run(t, &p, S_ISDIR(a.mode) ? vfs_rmdir : vfs_unlink);
}

int change_remove_tree(struct offline *t, const char *path)
{
	char name[NAME_MAX + 1];
	uint64_t parent;
	int r = offline_find_parent(t, path, &parent, name);

	if (r < 0)
		return r;
	r = name[0] ? remove_below(t, parent, name, 0) : -EPERM;
	offline_forget(t, parent);
	return r;
}
