/* SPDX-License-Identifier: Zlib */
#include "cli/offline/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/disk/io.h"
#include "base/disk/io_copy.h"
#include "base/durable/pair.h"
#include "cli/offline/streams.h"
#include "vfs/files/companion.h"
#include "vfs/volume/finish.h"

enum { COPY = 6 }; /* letters of a copy's own */

static int locate_new(struct out *o, struct error *e)
{
	const char *slash = strrchr(o->path, '/'), *name = slash ? slash + 1 : o->path;
	CLEANUP(free) char *dir = slash ? strndup(o->path, (size_t)(name - o->path)) : strdup(".");

	if (!dir)
		return error_set(e, -ENOMEM, "out of memory");
	if (!*name || strlen(name) > NAME_MAX)
		return error_set(e, -EINVAL, "is no name of a file");
	strcpy(o->name, name);
	o->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return o->dirfd < 0 ? error_errno(e, "its directory cannot be opened") : 0;
}

/* Standard output: only the copy has a place. */
static int locate_copy(struct out *o, struct error *e)
{
	strcpy(o->name, o->path);
	o->dirfd = streams_directory(e);
	return o->dirfd < 0 ? o->dirfd : 0;
}

/* A copy ".OUT.mapfs-new-XXXXXX", its second file, or what a save of it was writing: the same
 * behind further dots, and with more at the end. */
static bool is_of_copy(const char *name, const char *stem)
{
	size_t dots = strspn(name, "."), n = strlen(stem + 1);

	return dots && strncmp(name + dots, stem + 1, n) == 0 && strlen(name + dots + n) > COPY;
}

/* What somebody who was killed left: copies, and what a save of one was writing. */
static void sweep_copies(const struct volume *vol)
{
	char stem[NAME_MAX + 1];
	struct dirent *d;
	int fd = openat(vol->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	replace_stem(vol->name, stem);
	while ((d = readdir(dir)))
		if (is_of_copy(d->d_name, stem) &&
			trust_check_name(&vol->trust, d->d_name, NULL) == 0)
			(void)io_unlink(vol->dirfd, d->d_name);
	closedir(dir);
}

/* A map of two files is known by its name here: nothing is read outside the sandbox. */
static int find_second(struct out *o, struct error *e)
{
	const struct format *f = volume_format_for(NULL, o->name);
	struct source there = {.name = o->name};
	int r;

	if (!f || !f->companion)
		return 0;
	r = companion_open(o->dirfd, f, o->name, &there, o->second, e);
	o->second_held = there.files[1];
	if (r == 0 && o->second_held && !o->held)
		r = error_set(e, -EEXIST, "%s is there already", o->second);
	if (r == 0 && o->second_held && fstat(o->second_held->fd, &o->second_opened) < 0)
		r = error_errno(e, "%s", o->second);
	if (r == 0 && !o->second_held && !f->companion(o->name, 0, o->second))
		r = error_set(e, -ENAMETOOLONG, "no name is left for its second file");
	return r;
}

/* ... and what was to become the map. */
static void sweep(const struct out *o)
{
	const struct trust *trust = &o->held->vol->trust;
	char marker[NAME_MAX + 1];

	sweep_copies(o->held->vol);
	replace_sweep(trust, o->name);
	if (!o->second[0])
		return;
	pair_marker(marker, o->name);
	replace_sweep(trust, o->second);
	replace_sweep(trust, marker);
}

int out_hold(struct out *o, const char *path, struct error *e)
{
	int r;

	o->path = path;
	o->dirfd = fcntl(o->held->vol->dirfd, F_DUPFD_CLOEXEC, 3);
	strcpy(o->name, o->held->vol->name);
	if (o->dirfd < 0)
		return error_errno(e, "its directory");
	if (finish_waits(o->held->vol))
		return finish_refuse(e);
	r = find_second(o, e);
	if (r == 0)
		sweep(o);
	return r;
}

int out_begin(struct out *o, const char *path, const struct vfs_options *how, struct error *e)
{
	struct stat st;
	int r;

	*o = (struct out){.path = path, .dirfd = -1};
	if (streams_named(path))
		return locate_copy(o, e);
	if (lstat(path, &st) < 0 && errno == ENOENT) {
		r = locate_new(o, e);
		return r < 0 ? r : find_second(o, e);
	}
	r = offline_open(&o->own, path, how, e);
	o->held = r < 0 ? NULL : &o->own;
	return r < 0 ? r : out_hold(o, path, e);
}

int out_check(const struct out *o, const struct format *format, struct error *e)
{
	const struct format *f = NULL;
	struct source there;
	int r;

	if (!o->held || o->held->vol->source.sizes[0] == 0)
		return 0;
	there = o->held->vol->source;
	/* What is no map has a map's name at times, but no second file. */
	if (!o->second_held)
		there.name = "";
	r = format_find(&there, &f, e);
	if (r == -EINVAL)
		return error_set(e, r, "is there, and no map: it is not written over");
	if (r == 0 && f != format)
		return error_set(e, -EINVAL,
			"is there, and of another format than the others: it is not written over");
	return r;
}

/* All of a file into a new one beside name; closed. */
static int copy(int dirfd, const char *name, int like, struct file *from, struct replace **ret,
	struct error *e)
{
	CLEANUP(replace_destroy) struct replace *r = NULL;
	CLEANUP_EXTENT struct extent all = EXTENT_INIT;
	struct stat st;
	int code;

	if (fstat(from->fd, &st) < 0)
		return error_errno(e, "cannot be read");
	code = replace_begin(dirfd, name, like, &r, e);
	if (code < 0)
		return code;
	all = extent_of_file(file_ref(from), 0, (uint64_t)st.st_size);
	replace_copy(r, &all);
	code = replace_close(r, e);
	if (code == 0)
		*ret = TAKE(r);
	return code;
}

/* The second file is found by the name of the first. */
static int copy_second(struct out *o, struct file *from, struct error *e)
{
	const struct format *f = volume_format_for(NULL, o->name);
	char name[NAME_MAX + 1];
	CLEANUP(close_fd) int fd = -1;
	struct stat st;
	int r;

	if (streams_named(o->path))
		return error_set(e, -EINVAL, "is a map of two files, and standard output is one");
	if (!o->second[0])
		return error_set(e, -EINVAL, "is no name for a map of two files");
	if (!f->companion(replace_temporary(o->copy), 0, name))
		return error_set(e, -ENAMETOOLONG, "no name is left for its second file");
	fd = io_openat(o->dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	r = fd < 0 ? fd : 0;
	if (r == 0)
		strcpy(o->second_copy, name);
	if (r == 0)
		r = fstat(from->fd, &st) < 0 ? -errno
					     : io_copy(from->fd, 0, (uint64_t)st.st_size, fd);
	return r < 0 ? error_set(e, r, "%s: %s", name, strerror(-r)) : 0;
}

int out_copy(struct out *o, const struct source *from, struct offline *t, const char *shown,
	const struct vfs_options *how, struct error *e)
{
	/* Elsewhere nobody may read a copy who may not read the map. */
	int like = o->held                  ? o->held->vol->source.files[0]->fd
		   : streams_named(o->path) ? from->files[0]->fd
					    : -1;
	int r = copy(o->dirfd, o->name, like, from->files[0], &o->copy, e);

	if (r == 0 && from->files[1])
		r = copy_second(o, from->files[1], e);
	return r < 0 ? r : offline_open_at(t, o->dirfd, replace_temporary(o->copy), shown, how, e);
}

/* Is it still what was there, or still nothing? */
static int look(const struct out *o, const char *name, const struct stat *was, struct error *e)
{
	struct stat st;
	bool there = fstatat(o->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (there == !!was && (!there || (st.st_dev == was->st_dev && st.st_ino == was->st_ino &&
						 st.st_size == was->st_size &&
						 st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
						 st.st_mtim.tv_nsec == was->st_mtim.tv_nsec)))
		return 0;
	return error_set(e, -ESTALE, "another program changed it meanwhile: nothing is written");
}

/* All of both is on disk under temporary names. */
static int commit(struct out *o, struct replace *first, struct replace *second, struct error *e)
{
	const struct volume *held = o->held ? o->held->vol : NULL;
	int r = replace_sync(first, e);

	if (r == 0 && second)
		r = replace_sync(second, e);
	if (r == 0)
		r = look(o, o->name, held ? &held->opened : NULL, e);
	if (r == 0 && second)
		r = look(o, o->second, o->second_held ? &o->second_opened : NULL, e);
	if (r < 0)
		return r;
	r = second ? pair_commit(first, second, o->name, true, e)
		   : replace_commit(first, true, NULL, e);
	o->stands = replace_stands(first);
	return r;
}

int out_commit(struct out *o, const struct source *from, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *first = NULL;
	CLEANUP(replace_destroy) struct replace *second = NULL;
	int like = o->held ? o->held->vol->source.files[0]->fd : -1;
	int r;

	if (streams_named(o->path))
		return streams_output(from->files[0]->fd, e);
	r = copy(o->dirfd, o->name, like, from->files[0], &first, e);
	if (r == 0 && from->files[1])
		r = copy(o->dirfd, o->second, o->second_held ? o->second_held->fd : -1,
			from->files[1], &second, e);
	return r < 0 ? r : commit(o, first, second, e);
}

void out_finish(struct out *o)
{
	if (o->copy)
		replace_discard(o->copy);
	if (o->second_copy[0])
		(void)io_unlink(o->dirfd, o->second_copy);
	replace_destroy(TAKE(o->copy));
	file_unref(TAKE(o->second_held));
	offline_close(&o->own);
	if (o->dirfd >= 0)
		close(o->dirfd);
	o->dirfd = -1;
}
