/* SPDX-License-Identifier: Zlib */
#include "tools/automap/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "vfs/offline/calls.h"
#include "vfs/offline/change.h"
#include "vfs/offline/reader.h"

enum { PIECE = 1 << 20 };

static int take_names(
	struct names *names, int r, int (*take)(void *arg, const char *name), void *arg)
{
	names_sort(names);
	for (size_t i = 0; r == 0 && i < names->n; i++)
		r = take(arg, names->items[i]);
	return r;
}

static int tree_list(
	void *arg, const char *dir, int (*take)(void *arg, const char *name), void *take_arg)
{
	CLEANUP_NAMES struct names names = {0};
	struct offline_file a;
	int r = offline_find(arg, dir, &a);

	if (r == 0)
		r = offline_names(arg, &a, true, &names);
	return take_names(&names, r, take, take_arg);
}

static int tree_read(void *arg, const char *path, struct bytes **ret, struct error *e)
{
	struct offline *t = arg;
	struct offline_file a;
	int r = offline_find(t, path, &a);

	if (r == 0)
		r = offline_read_all(t, &a, FORMAT_SIZE_MAX, ret);
	return r < 0 ? error_set(e, r, "%s", offline_reason(t, r)) : 0;
}

static int tree_write(void *arg, const char *path,
	ssize_t (*source)(void *arg, void *dst, size_t n), void *source_arg, struct error *e)
{
	return change_put(arg, path, source, source_arg, NULL, e);
}

struct automap_files automap_files_of_offline(struct offline *t)
{
	return (struct automap_files){tree_list, tree_read, tree_write, t};
}

static int dir_list(
	void *arg, const char *dir, int (*take)(void *arg, const char *name), void *take_arg)
{
	CLEANUP(close_fd) int fd = io_openat(*(const int *)arg, dir, O_RDONLY | O_DIRECTORY, 0);
	CLEANUP_NAMES struct names names = {0};

	return take_names(&names, fd < 0 ? fd : names_add_dir(&names, fd), take, take_arg);
}

static int dir_read(void *arg, const char *path, struct bytes **ret, struct error *e)
{
	int fd = io_openat(*(const int *)arg, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	CLEANUP(file_unref) struct file *f = fd < 0 ? NULL : file_new(fd);
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct stat st;

	if (!f)
		return error_set(e, fd < 0 ? fd : -ENOMEM, "%s", strerror(fd < 0 ? -fd : ENOMEM));
	if (fstat(fd, &st) < 0)
		return error_errno(e, "cannot read");
	x = extent_of_file(TAKE(f), 0, (uint64_t)st.st_size);
	return extent_load(&x, FORMAT_SIZE_MAX, ret, e);
}

static int write_source(int fd, ssize_t (*source)(void *arg, void *dst, size_t n), void *arg)
{
	CLEANUP(free) char *piece = malloc(PIECE);
	ssize_t n = piece ? 1 : -ENOMEM;
	int r = 0;

	while (r == 0 && n > 0 && (n = source(arg, piece, PIECE)) > 0)
		r = io_write(fd, piece, (size_t)n);
	return r < 0 ? r : (int)n;
}

/* Report the error of close, too: a mount validates the content there. */
static int dir_write(void *arg, const char *path, ssize_t (*source)(void *arg, void *dst, size_t n),
	void *source_arg, struct error *e)
{
	int fd = io_openat(*(const int *)arg, path, O_WRONLY | O_TRUNC | O_NOCTTY, 0);
	int r = fd < 0 ? fd : write_source(fd, source, source_arg);

	if (fd >= 0 && close(fd) < 0 && r == 0)
		r = -errno;
	return r < 0 ? error_set(e, r, "%s", strerror(-r)) : 0;
}

struct automap_files automap_files_of_directory(const int *dirfd)
{
	return (struct automap_files){dir_list, dir_read, dir_write, (void *)(uintptr_t)dirfd};
}
