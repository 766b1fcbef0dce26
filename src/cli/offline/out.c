/* SPDX-License-Identifier: Zlib */
#include "cli/offline/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

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

/* What is written beside a copy for it, ".COPY.mapfs-new-XXXXXX": the copy itself may be gone. */
static void sweep_copy(const struct volume *vol, const char *name, const char *stem)
{
	char copy[NAME_MAX + 1];
	char *end;

	if (name[0] != '.' || strncmp(name + 1, stem, strlen(stem)) != 0)
		return;
	strcpy(copy, name + 1);
	end = memrchr(copy, '-', strlen(copy));
	end -= strlen(".mapfs-new");
	if (end <= copy || strncmp(end, ".mapfs-new-", strlen(".mapfs-new-")) != 0)
		return;
	*end = '\0';
	replace_sweep(&vol->trust, copy);
}

/* What somebody who was killed left: copies, and what a save of one was writing. */
static void sweep(const struct volume *vol)
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
		sweep_copy(vol, d->d_name, stem);
	closedir(dir);
	replace_sweep(&vol->trust, vol->name);
}

int out_hold(struct out *o, const char *path, struct error *e)
{
	o->path = path;
	o->dirfd = fcntl(o->held.vol->dirfd, F_DUPFD_CLOEXEC, 3);
	strcpy(o->name, o->held.vol->name);
	sweep(o->held.vol);
	return o->dirfd < 0 ? error_errno(e, "its directory") : 0;
}

int out_begin(struct out *o, const char *path, const struct vfs_options *how, struct error *e)
{
	struct stat st;
	int r;

	*o = (struct out){.path = path, .dirfd = -1};
	if (lstat(path, &st) < 0 && errno == ENOENT)
		return locate_new(o, e);
	r = offline_open(&o->held, path, how, e);
	return r < 0 ? r : out_hold(o, path, e);
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

int out_copy(struct out *o, int from, struct offline *t, const char *shown,
	const struct vfs_options *how, struct error *e)
{
	int own = fcntl(from, F_DUPFD_CLOEXEC, 3);
	CLEANUP(file_unref) struct file *f = own < 0 ? NULL : file_new(own);
	int like = o->held.vol ? o->held.vol->source.files[0]->fd : -1;
	int r = f ? copy(o->dirfd, o->name, like, f, &o->copy, e)
		  : error_set(e, -ENOMEM, "out of memory");

	return r < 0 ? r : offline_open_at(t, o->dirfd, replace_temporary(o->copy), shown, how, e);
}

/* Is it still what was locked, or still nothing? */
static int look(const struct out *o, struct error *e)
{
	const struct stat *was = o->held.vol ? &o->held.vol->opened : NULL;
	struct stat st;
	bool there = fstatat(o->dirfd, o->name, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (there == !!was && (!there || (st.st_dev == was->st_dev && st.st_ino == was->st_ino &&
						 st.st_size == was->st_size &&
						 st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
						 st.st_mtim.tv_nsec == was->st_mtim.tv_nsec)))
		return 0;
	return error_set(e, -ESTALE, "another program changed it meanwhile: nothing is written");
}

int out_commit(struct out *o, struct file *from, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *r = NULL;
	int like = o->held.vol ? o->held.vol->source.files[0]->fd : -1;
	int code = copy(o->dirfd, o->name, like, from, &r, e);

	if (code == 0)
		code = replace_sync(r, e);
	if (code == 0)
		code = look(o, e);
	return code < 0 ? code : replace_commit(r, true, NULL, e);
}

void out_finish(struct out *o)
{
	if (o->copy)
		replace_discard(o->copy);
	replace_destroy(TAKE(o->copy));
	offline_close(&o->held);
	if (o->dirfd >= 0)
		close(o->dirfd);
	o->dirfd = -1;
}
