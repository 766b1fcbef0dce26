/* SPDX-License-Identifier: Zlib */
#include "vfs/files/rescue_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/disk/io.h"
#include "base/disk/mountinfo.h"
#include "base/name.h"
#include "vfs/files/sidecar.h"

enum { CHUNK = 64 << 10, NUMBERS_MAX = 1000 };

/*
 * Durability. The copies have to be on disk before the journal or the map that holds the same bytes
 * is removed. One syncfs(2) does that for any number of copies and directories; an fsync of each
 * takes milliseconds, and an fsync of their directories alone does not write their content. The
 * price is to wait for what other programs wrote to the same file system. Since Linux 5.8 syncfs
 * fails if any write to the file system failed since its descriptor was opened, so d->fd is opened
 * before the first copy. syncfs is no substitute where it reports no such errors (overlayfs) or
 * does not ask the server to write (shares, FUSE): there each copy is synced by itself.
 */

/* Copy owner, group and mode. If the owner or group cannot be changed, the copy keeps this user's;
 * a group other than the map's gets only the rights of all others. */
static void copy_rights(const struct stat *like, int fd, bool is_dir)
{
	mode_t mode = like->st_mode & 0666;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	if (st.st_uid != like->st_uid || st.st_gid != like->st_gid)
		(void)io_chown(fd, like->st_uid, like->st_gid);
	if (fstat(fd, &st) == 0 && st.st_gid != like->st_gid)
		(void)io_chown(fd, (uid_t)-1, like->st_gid);
	if (fstat(fd, &st) < 0)
		return;
	if (st.st_gid != like->st_gid)
		mode &= ~(mode_t)0070 | (mode & 0007) << 3;
	if (is_dir)
		mode |= (mode & 0444) >> 2;
	(void)io_chmod(fd, mode);
}

/* Set the rights of a new file or directory, and sync it if each copy is synced. */
static int complete_copy(const struct rescue_dir *d, int parent, int fd, bool is_dir)
{
	int r = 0;

	if (d->like)
		copy_rights(d->like, fd, is_dir);
	if (d->syncs_each && !is_dir)
		r = io_sync(fd);
	return r == 0 && d->syncs_each ? io_sync_dir(parent) : r;
}

static int make_dir(void *arg, int dirfd, const char *name, struct error *e)
{
	const struct rescue_dir *d = arg;
	bool is_new;
	CLEANUP(close_fd)
	int fd = io_make_dir(dirfd, name, d->like ? 0700 : 0777, &is_new, e);
	int r = fd >= 0 && is_new ? complete_copy(d, dirfd, fd, true) : 0;

	if (r < 0)
		return error_set(e, r, "%s: %s", name, strerror(-r));
	return fd < 0 ? fd : take_fd(&fd);
}

static int make_top(struct rescue_dir *d, struct error *e)
{
	char name[NAME_MAX + 1], family[NAME_MAX + 1], suffix[64] = ".mapfs-left";
	int r = -EEXIST;

	sidecar_family(family, d->map);
	for (int i = 1; r == -EEXIST && i < NUMBERS_MAX; i++) {
		sidecar_name(name, family, suffix);
		r = io_mkdir(d->dirfd, name, d->like ? 0700 : 0777);
		snprintf(suffix, sizeof(suffix), ".mapfs-left.%d", i);
	}
	if (r == 0) {
		d->fd = openat(d->dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		r = d->fd < 0 ? -errno : 0;
		if (r < 0)
			(void)io_rmdir(d->dirfd, name);
	}
	if (r == 0) {
		strcpy(d->name, name);
		d->syncs_each = mountinfo_kind(d->fd) != MOUNT_LOCAL;
		r = complete_copy(d, d->dirfd, d->fd, true);
	}
	return r < 0 ? error_set(e, r, "cannot create %s: %s", name, strerror(-r)) : 0;
}

static bool has_content(
	int dirfd, const char *name, const struct rescue_content *from, uint8_t *chunk)
{
	CLEANUP(close_fd)
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	uint64_t off = 0;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	while ((n = from->read(from->arg, off, chunk, CHUNK, NULL)) > 0) {
		if (pread(fd, chunk + CHUNK, (size_t)n, (off_t)off) != n ||
			memcmp(chunk, chunk + CHUNK, (size_t)n) != 0)
			return false;
		off += (uint64_t)n;
	}
	return n == 0 && (uint64_t)st.st_size == off;
}

/* Copy the content, leaving holes for chunks of zeros. */
static int copy_content(const struct rescue_content *from, int fd, uint8_t *chunk, struct error *e)
{
	uint64_t off = 0;
	ssize_t n = 0;
	int r = 0;

	while (r == 0 && (n = from->read(from->arg, off, chunk, CHUNK, e)) > 0) {
		if (chunk[0] || memcmp(chunk, chunk + 1, (size_t)n - 1) != 0)
			r = io_pwrite(fd, chunk, (size_t)n, off);
		off += (uint64_t)n;
	}
	return r < 0 ? r : n < 0 ? (int)n : io_truncate(fd, off);
}

static int write_file(const struct rescue_dir *d, int parent, const char *name,
	const struct rescue_content *from, uint8_t *chunk, struct error *e)
{
	CLEANUP(close_fd)
	int fd = io_openat(
		parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, d->like ? 0600 : 0666);
	int r = fd < 0 ? fd : copy_content(from, fd, chunk, e);

	if (r == 0)
		r = complete_copy(d, parent, fd, false);
	if (r < 0 && fd >= 0)
		(void)io_unlink(parent, name);
	return r < 0 && !(e && e->code) ? error_set(e, r, "%s", strerror(-r)) : r;
}

/* Remove the empty directories on the path, including the top one. No component is a symbolic link,
 * since mapfs made everything below it. */
static void remove_empty(struct rescue_dir *d, const char *path)
{
	CLEANUP(free) char *dir = path_check(path) == 0 ? strdup(path) : NULL;
	char *slash;

	while (dir && (slash = strrchr(dir, '/'))) {
		*slash = '\0';
		(void)io_rmdir(d->fd, dir);
	}
	if (d->fd >= 0 && io_rmdir(d->dirfd, d->name) == 0) {
		close(d->fd);
		d->fd = -1;
		d->name[0] = '\0';
	}
}

int rescue_dir_write(struct rescue_dir *d, const char *path, const struct rescue_content *from,
	bool replaces, struct error *e)
{
	CLEANUP(free) uint8_t *chunk = malloc(2 * CHUNK);
	CLEANUP(free) char *listed = strdup(path);
	CLEANUP(close_fd) int parent = -1;
	char name[NAME_MAX + 1];
	int r = 0;

	if (!chunk || !listed || !array_reserve(d->paths, d->n, d->room))
		r = error_set(e, -ENOMEM, "out of memory");
	if (r == 0 && d->fd < 0)
		r = make_top(d, e);
	if (r == 0)
		r = parent = path_open_parent(d->fd, path, make_dir, d, name, e);
	if (r >= 0 && !(replaces && has_content(parent, name, from, chunk))) {
		if (replaces)
			(void)io_unlink(parent, name);
		r = write_file(d, parent, name, from, chunk, e);
	}
	if (r < 0) {
		remove_empty(d, path);
		return r;
	}
	d->paths[d->n++] = TAKE(listed);
	return 0;
}

int rescue_dir_sync(const struct rescue_dir *d, struct error *e)
{
	int r = d->fd < 0 || d->syncs_each ? 0 : io_sync_fs(d->fd);

	return r < 0 ? error_set(e, r, "%s: %s", d->name, strerror(-r)) : 0;
}

void rescue_dir_remove(struct rescue_dir *d, const char *path)
{
	if (d->fd >= 0 && path_check(path) == 0)
		(void)io_unlink(d->fd, path);
	remove_empty(d, path);
}

void rescue_dir_forget(struct rescue_dir *d)
{
	while (d->n)
		free(d->paths[--d->n]);
}

void rescue_dir_drop(struct rescue_dir *d)
{
	for (size_t i = 0; i < d->n; i++)
		rescue_dir_remove(d, d->paths[i]);
	rescue_dir_forget(d);
}

void rescue_dir_finish(struct rescue_dir *d)
{
	rescue_dir_forget(d);
	free(d->paths);
	close_fd_cleanup(&d->fd);
}
