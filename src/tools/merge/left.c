/* SPDX-License-Identifier: Zlib */
#include "tools/merge/left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/disk/io.h"
#include "base/name.h"
#include "tools/merge/content.h"
#include "vfs/files/sidecar.h"

static int open_dir(void *, int dirfd, const char *name, struct error *e)
{
	bool made;
	int fd = io_make_dir(dirfd, name, 0777, &made, e);

	if (fd >= 0 && made)
		(void)io_sync_dir(dirfd);
	return fd;
}

enum { PIECE = 64 << 10 };

/* All of a file, on disk. */
static int pour(struct reader *from, int out)
{
	CLEANUP(free) char *piece = malloc(PIECE);
	ssize_t n = piece ? 1 : -ENOMEM;
	int r = 0;

	while (n > 0 && r == 0 && (n = reader_take(from, piece, PIECE)) > 0)
		r = io_write(out, piece, (size_t)n);
	return r < 0 ? r : n < 0 ? (int)n : io_sync(out);
}

/* Closes the reader. */
static int write_file(struct left_over *l, const char *path, struct reader *from, struct error *e)
{
	CLEANUP(close_fd) int parent = -1, out = -1;
	char base[NAME_MAX + 1];
	int r;

	parent = path_open_parent(l->fd, path, open_dir, NULL, base, e);
	out = parent < 0 ? parent
			 : io_openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
	r = out < 0 ? out : names_add(&l->written, path);
	if (r == 0)
		r = pour(from, out);
	if (r >= 0)
		r = io_sync_dir(parent);
	reader_close(from);
	return r < 0 ? error_set(e, r, "%s: %s", path, strerror(-r)) : 0;
}

/* The directory, unless it is made already. */
static int make(struct left_over *l, struct error *e)
{
	if (l->fd < 0)
		l->fd = sidecar_make_left(l->dirfd, l->name, 0777, l->made, e);
	return l->fd < 0 ? l->fd : 0;
}

static int end(struct left_over *l, int r)
{
	if (r == 0)
		(void)io_sync_dir(l->dirfd);
	else
		left_over_drop(l);
	return r;
}

int left_over_write(struct left_over *l, struct merge *m, struct error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n_conflicts; i++) {
		struct merged *x = m->conflicts[i].x;
		CLEANUP(free) char *path = NULL;
		struct reader from;

		if (!m->conflicts[i].theirs || x->left)
			continue;
		x->left = true;
		path = merged_path(x, true, x->at[THEIRS]);
		r = path ? make(l, e) : error_set(e, -ENOMEM, "out of memory");
		if (r < 0)
			break;
		r = content_open(m, x->at[THEIRS], CONTENT_LATER, &from);
		r = r < 0 ? error_set(e, r, "%s: %s", path, strerror(-r))
			  : write_file(l, path, &from, e);
	}
	return end(l, r);
}

int left_over_map(
	struct left_over *l, const struct source *theirs, const struct format *f, struct error *e)
{
	char second[NAME_MAX + 1] = "";
	int r = make(l, e);

	if (r == 0 && theirs->n_files > 1 && !f->companion(l->name, 0, second))
		r = error_set(e, -ENAMETOOLONG, "%s: no name is left for its second file", l->made);
	for (unsigned i = 0; r == 0 && i < theirs->n_files; i++) {
		struct reader from =
			reader_of(extent_of_file(file_ref(theirs->files[i]), 0, theirs->sizes[i]));

		r = write_file(l, i ? second : l->name, &from, e);
	}
	return end(l, r);
}

void left_over_drop(struct left_over *l)
{
	for (size_t i = 0; l->fd >= 0 && i < l->written.n; i++) {
		char *path = l->written.at[i], *slash;

		(void)io_unlink(l->fd, path);
		while ((slash = strrchr(path, '/'))) {
			*slash = '\0';
			(void)io_rmdir(l->fd, path);
		}
	}
	if (l->made[0])
		(void)io_rmdir(l->dirfd, l->made);
	l->made[0] = '\0';
}

void left_over_finish(struct left_over *l)
{
	close_fd_cleanup(&l->fd);
	names_finish(&l->written);
}
