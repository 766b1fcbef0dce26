/* SPDX-License-Identifier: Zlib */
#include "vfs/save/left_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/disk/io.h"
#include "base/name.h"
#include "vfs/files/sidecar.h"

/* Of a large file STRETCH is brought to disk at a time: who waits for the end is told between. */
enum { CHUNK = 64 << 10, STRETCH = 64 << 20 };

void left_dir_init(struct left_dir *d, const struct vfs *v)
{
	*d = (struct left_dir){.vfs = v, .fd = -1};
}

void left_dir_finish(struct left_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

/*
 * Owner and rights as far as ours go: fd was made for us alone, and stays so where they do not. A
 * group that is not the map's has no more rights than all others.
 */
static void like_the_map(const struct volume *vol, int fd, bool dir)
{
	const struct stat *map = &vol->opened;
	mode_t mode = map->st_mode & 0666;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	if (st.st_uid != map->st_uid || st.st_gid != map->st_gid)
		(void)io_chown(fd, map->st_uid, map->st_gid);
	if (fstat(fd, &st) == 0 && st.st_gid != map->st_gid)
		(void)io_chown(fd, (uid_t)-1, map->st_gid);
	if (fstat(fd, &st) < 0)
		return;
	if (st.st_gid != map->st_gid)
		mode &= ~(mode_t)0070 | (mode & 0007) << 3;
	if (dir)
		mode |= (mode & 0444) >> 2;
	(void)io_chmod(fd, mode);
}

static void settle(const struct left_dir *d, int dirfd, int fd)
{
	like_the_map(d->vfs->vol, fd, true);
	(void)io_sync_dir(dirfd);
}

static int open_dir(void *arg, int dirfd, const char *name, struct error *e)
{
	bool made;
	int fd = io_make_dir(dirfd, name, 0700, &made, e);

	if (fd >= 0 && made)
		settle(arg, dirfd, fd);
	return fd;
}

/* The bytes of a file, wherever they come from. */
static int read_file(const struct left_dir *d, const struct upper *u, uint64_t off, void *dst,
	size_t size, struct error *e)
{
	const struct spot s = upper_spot((struct upper *)(uintptr_t)u);

	if (u->node && u->node->stage)
		return spool_read(u->node->stage->spool, off, dst, size, e);
	return overlay_read(d->vfs->tree, &s, off, dst, size, e);
}

static int size_of_file(
	const struct left_dir *d, const struct upper *u, uint64_t *ret, struct error *e)
{
	const struct spot s = upper_spot((struct upper *)(uintptr_t)u);
	struct entry en;
	int r;

	if (u->node && u->node->stage) {
		*ret = spool_size(u->node->stage->spool);
		return 0;
	}
	r = overlay_stat(d->vfs->tree, &s, &en, e);
	*ret = en.size;
	if (r == 0 && !en.sized)
		r = snapshot_size(overlay_shown(d->vfs->tree, u), u->of ? u->was : u->from, ret, e);
	return r;
}

/* Calls fn with all of it, piece by piece. */
static int each_piece(const struct left_dir *d, const struct upper *u, uint64_t size,
	uint8_t *chunk, int (*fn)(int fd, uint64_t off, uint8_t *chunk, size_t n), int fd,
	struct error *e)
{
	int r = 0;

	for (uint64_t off = 0; r == 0 && off < size; off += CHUNK) {
		size_t some = size - off < CHUNK ? (size_t)(size - off) : CHUNK;

		if (off % STRETCH == 0)
			d->vfs->host->progress(d->vfs->host, "copying what is left out", off, size);
		r = read_file(d, u, off, chunk, some, e);
		if (r < 0)
			return r;
		r = fn(fd, off, chunk, some);
	}
	return r;
}

/* What was never written takes no room; the file has its size already. */
static int write_piece(int fd, uint64_t off, uint8_t *chunk, size_t n)
{
	bool zero = chunk[0] == 0 && memcmp(chunk, chunk + 1, n - 1) == 0;
	int r = off && off % STRETCH == 0 ? io_sync(fd) : 0;

	return zero || r < 0 ? r : io_pwrite(fd, chunk, n, off);
}

/* The other half of the chunk is for what the file says. */
static int compare_piece(int fd, uint64_t off, uint8_t *chunk, size_t n)
{
	ssize_t got = pread(fd, chunk + CHUNK, n, (off_t)off);

	return got == (ssize_t)n && memcmp(chunk, chunk + CHUNK, n) == 0 ? 0 : -ESTALE;
}

static bool is_there(const struct left_dir *d, const struct upper *u, int parent, const char *base,
	uint64_t size, uint8_t *chunk)
{
	CLEANUP(close_fd)
	int fd = openat(parent, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size == size &&
	       each_piece(d, u, size, chunk, compare_piece, fd, NULL) == 0;
}

static int write_file(const struct left_dir *d, const struct upper *u, int parent, const char *base,
	uint64_t size, uint8_t *chunk, struct error *e)
{
	CLEANUP(close_fd) int out = -1;
	int r;

	(void)io_unlink(parent, base);
	out = io_openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (out < 0)
		return error_set(e, out, "%s", strerror(-out));
	r = io_truncate(out, size);
	if (r == 0)
		r = each_piece(d, u, size, chunk, write_piece, out, e);
	if (r == 0)
		like_the_map(d->vfs->vol, out, false);
	if (r == 0)
		r = io_sync(out);
	if (r == 0)
		r = io_sync_dir(parent);
	if (r < 0)
		(void)io_unlink(parent, base);
	return r < 0 && !(e && e->code) ? error_set(e, r, "%s", strerror(-r)) : r;
}

int left_dir_copy(struct left_dir *d, const struct upper *u, const char *path, struct error *e)
{
	const struct volume *vol = d->vfs->vol;
	CLEANUP(free) uint8_t *chunk = malloc(2 * CHUNK);
	CLEANUP(close_fd) int parent = -1;
	char base[NAME_MAX + 1];
	uint64_t size;
	int r = chunk ? size_of_file(d, u, &size, e) : error_set(e, -ENOMEM, "out of memory");

	if (r == 0 && d->fd < 0) {
		r = d->fd = sidecar_make_left(vol->dirfd, vol->name, 0700, d->name, e);
		if (r >= 0)
			settle(d, vol->dirfd, d->fd);
	}
	if (r < 0)
		return r;
	parent = path_open_parent(d->fd, path, open_dir, d, base, e);
	if (parent < 0)
		return parent;
	return is_there(d, u, parent, base, size, chunk)
		       ? 0
		       : write_file(d, u, parent, base, size, chunk, e);
}

void left_dir_remove(struct left_dir *d, const char *path)
{
	CLEANUP(free) char *part = strdup(path);
	char *slash;

	if (d->fd < 0 || !part || path_check(path) < 0)
		return;
	/* No component is a link: all below is ours. */
	(void)io_unlink(d->fd, part);
	while ((slash = strrchr(part, '/'))) {
		*slash = '\0';
		(void)io_rmdir(d->fd, part);
	}
	if (io_rmdir(d->vfs->vol->dirfd, d->name) == 0)
		left_dir_finish(d);
}

int left_dir_sync(const struct left_dir *d, struct error *e)
{
	int r = d->fd < 0 ? 0 : io_sync_dir(d->fd);

	if (r == 0 && d->fd >= 0)
		r = io_sync_dir(d->vfs->vol->dirfd);
	return r < 0 ? error_set(e, r, "%s: %s", d->name, strerror(-r)) : 0;
}
