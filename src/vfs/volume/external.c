/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/external.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/files/companion.h"

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Not touched at all: a time that was set back leaves its mark in the other. */
static bool untouched(const struct stat *now, const struct stat *opened)
{
	return now->st_dev == opened->st_dev && now->st_ino == opened->st_ino &&
	       now->st_size == opened->st_size && same_time(now->st_mtim, opened->st_mtim) &&
	       same_time(now->st_ctim, opened->st_ctim);
}

static bool named(const struct volume *vol, const char *name, const struct stat *opened)
{
	struct stat st;

	return fstatat(vol->dirfd, name, &st, 0) == 0 && untouched(&st, opened);
}

bool outside_in_place(const struct volume *vol)
{
	const struct stat *opened[FORMAT_FILES_MAX] = {&vol->opened, &vol->companion_opened};
	char identity[IDENTITY_SIZE];
	bool all = true;
	struct stat st;

	for (unsigned i = 0; i < vol->source.n_files; i++)
		all = all && fstat(vol->source.files[i]->fd, &st) == 0 && untouched(&st, opened[i]);
	if (all)
		return false;
	/* Its rights, its names or its time are another matter, and so is what was appended. */
	return companion_identity_as(&vol->source, opened, identity, NULL) < 0 ||
	       strcmp(identity, vol->identity) != 0;
}

enum outside outside_look(const struct volume *vol)
{
	CLEANUP(file_unref) struct file *f = NULL;
	char identity[IDENTITY_SIZE];
	int fd;

	if (outside_in_place(vol))
		return OUTSIDE_IN_PLACE;
	if (named(vol, vol->name, &vol->opened) &&
		(vol->source.n_files < 2 || named(vol, vol->companion, &vol->companion_opened)))
		return OUTSIDE_SAME;
	/* Copied back, or touched: the same content is no conflict. */
	fd = openat(vol->dirfd, vol->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	f = fd < 0 ? NULL : file_new(fd);
	return f && companion_identity(vol->dirfd, vol->name, f, identity, NULL) == 0 &&
			       strcmp(identity, vol->identity) == 0
		       ? OUTSIDE_SAME
		       : OUTSIDE_OTHER;
}
