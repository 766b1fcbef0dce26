/* SPDX-License-Identifier: Zlib */
#include "base/disk/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/disk/dir.h"

/* A directory that is being read. */
struct walk_directory {
	const struct walk *walk;
	const char *path;
	int fd;
	struct names *files;
	struct names *pending; /* directories that are not read yet */
};

static bool same_device(const struct statx *a, const struct statx *b)
{
	return a->stx_dev_major == b->stx_dev_major && a->stx_dev_minor == b->stx_dev_minor;
}

/* Get type and device, which the kernel knows itself: this works on a hanging mount, too. */
static int stat_entry(int dirfd, const char *name, struct statx *ret)
{
	const int flags =
		AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT | AT_EMPTY_PATH;

	return statx(dirfd, name, flags, STATX_TYPE, ret) < 0 ? -errno : 0;
}

/* Find the type of an entry (S_IFDIR, S_IFREG, ...). *ret is 0 for a mount that is not entered. */
static int find_type(const struct walk_directory *d, const struct dirent *entry, mode_t *ret)
{
	struct statx here, st;
	int r;

	*ret = (mode_t)DTTOIF(entry->d_type);
	if (*ret && !(S_ISDIR(*ret) && d->walk->one_file_system))
		return 0;
	r = stat_entry(d->fd, entry->d_name, &st);
	if (r == 0 && d->walk->one_file_system)
		r = stat_entry(d->fd, "", &here);
	if (r < 0)
		return r;
	*ret = d->walk->one_file_system && !same_device(&here, &st) ? 0 : st.stx_mode & S_IFMT;
	return 0;
}

static int add_entry(const struct walk_directory *d, const struct dirent *entry)
{
	const char *slash = d->path[strlen(d->path) - 1] == '/' ? "" : "/";
	CLEANUP(free) char *path = text_printf("%s%s%s", d->path, slash, entry->d_name);
	mode_t type;
	int r;

	if (!path)
		return -ENOMEM;
	r = find_type(d, entry, &type);
	if (r < 0 && r != -ENOENT)
		d->walk->on_failure(d->walk->arg, path, r);
	if (r < 0 || !(S_ISDIR(type) || S_ISREG(type)) ||
		!d->walk->is_wanted(entry->d_name, S_ISDIR(type)))
		return 0;
	return names_add(S_ISDIR(type) ? d->pending : d->files, path);
}

/* Read one directory. Returns 0 or -ENOMEM; calls w->on_failure for other failures. */
static int read_directory(const struct walk *w, const char *path, bool is_below,
	struct names *files, struct names *pending)
{
	int r, added = 0;
	CLEANUP(dir_close) DIR *dir = dir_open(AT_FDCWD, path, &r);
	struct walk_directory d = {w, path, dir ? dirfd(dir) : -1, files, pending};
	const struct dirent *entry;

	while (r == 0 && added == 0 && (entry = dir_next(dir, &r)))
		added = add_entry(&d, entry);
	if (r < 0 && !(r == -ENOENT && is_below))
		w->on_failure(w->arg, path, r);
	return added;
}

int walk_files(const struct walk *w, const char *top, struct names *ret)
{
	CLEANUP_NAMES struct names pending = {0};
	int r = read_directory(w, top, false, ret, &pending);

	while (r == 0 && pending.n) {
		CLEANUP(free) char *path = pending.items[--pending.n];

		r = read_directory(w, path, true, ret, &pending);
	}
	return r;
}
