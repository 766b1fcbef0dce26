/* SPDX-License-Identifier: Zlib */
#include "cli/whole/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/disk/io.h"
#include "base/name.h"

static bool is_within(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 &&
	       (!path[n] || path[n] == '/' || folder[n - 1] == '/');
}

int folder_open(const char *from, const char *to, bool dry, struct folder *ret, struct error *e)
{
	CLEANUP(free) char *in = realpath(from, NULL), *out = NULL;
	size_t n = strlen(from);
	bool made;

	/* How many.h calls what it finds. */
	while (n > 1 && from[n - 1] == '/')
		n--;
	*ret = (struct folder){.name = to, .below = n + (from[n - 1] != '/'), .fd = -1};
	if (!in)
		return error_errno(e, "%s", from);
	made = !dry && mkdir(to, 0777) == 0;
	if (!dry && !made && errno != EEXIST)
		return error_errno(e, "%s", to);
	out = realpath(to, NULL);
	if (out && is_within(out, in)) {
		if (made)
			(void)rmdir(to);
		return error_set(e, -EINVAL, "%s: is in the folder that is read (--in-place)", to);
	}
	ret->fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return ret->fd < 0 && !(dry && errno == ENOENT) ? error_errno(e, "%s", to) : 0;
}

bool folder_lacks(const struct folder *f, const struct offline *t)
{
	const struct timespec *in = &t->vol->opened.st_mtim, *out;
	struct stat st;

	if (f->fd < 0 || fstatat(f->fd, t->file + f->below, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return true;
	out = &st.st_mtim;
	return in->tv_sec != out->tv_sec ? in->tv_sec > out->tv_sec : in->tv_nsec > out->tv_nsec;
}

static int make_dir(void *arg, int dirfd, const char *name, struct error *e)
{
	(void)arg;
	return io_make_dir(dirfd, name, 0777, NULL, e);
}

int folder_begin(const struct folder *f, const struct offline *t, const struct vfs_options *how,
	struct out *ret, struct error *e)
{
	char name[NAME_MAX + 1];
	CLEANUP(close_fd)
	int fd = path_open_parent(f->fd, t->file + f->below, make_dir, NULL, name, e);
	struct stat st;
	int r;

	*ret = (struct out){.path = t->file, .dirfd = -1};
	if (fd < 0)
		return fd;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT) {
		strcpy(ret->name, name);
		ret->dirfd = take_fd(&fd);
		return 0;
	}
	r = offline_open_at(&ret->own, fd, name, t->file, how, e);
	if (r < 0)
		return r;
	ret->held = &ret->own;
	r = out_hold(ret, t->file, e);
	return r < 0 ? r : offline_check_journal(ret->held, e);
}
