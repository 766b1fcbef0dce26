/* SPDX-License-Identifier: Zlib */
#include "base/disk/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/disk/io.h"

void trust_init(struct trust *t, int dirfd, const struct stat *map)
{
	*t = (struct trust){dirfd, map->st_uid, map->st_gid, map->st_mode};
}

/* Does the file system give a file that this user creates the owner uid? */
static bool is_assigned_owner(int dirfd, uid_t uid)
{
	CLEANUP(close_fd) int fd = io_tmpfile(dirfd);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid != geteuid() && st.st_uid == uid;
}

static bool is_ours(const struct trust *t, const struct stat *st)
{
	return st->st_uid == geteuid() || (geteuid() == 0 && st->st_uid == t->uid) ||
	       is_assigned_owner(t->dirfd, st->st_uid);
}

static int check_stat(const struct trust *t, const struct stat *st, struct error *e)
{
	mode_t more = st->st_mode & ~t->mode & (S_IWGRP | S_IWOTH);

	if (st->st_gid != t->gid)
		more |= st->st_mode & S_IWGRP;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return error_set(e, -EPERM, "is not a regular file");
	if (S_ISREG(st->st_mode) && st->st_nlink != 1)
		return error_set(e, -EPERM, "has %ju hard links", (uintmax_t)st->st_nlink);
	if (more)
		return error_set(e, -EPERM, "is writable by other users");
	if (!is_ours(t, st))
		return error_set(e, -EPERM, "belongs to another user (%ju)", (uintmax_t)st->st_uid);
	return 0;
}

int trust_check_name(const struct trust *t, const char *name, struct error *e)
{
	struct stat st;

	if (fstatat(t->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(e, "%s", name);
	return check_stat(t, &st, e);
}

int trust_open(const struct trust *t, const char *name, int flags, struct error *e)
{
	CLEANUP(close_fd) int fd = -1;
	struct stat st;
	/* Check before the open, too: opening a device may have side effects. */
	int r = trust_check_name(t, name, e);

	if (r < 0)
		return r;
	fd = io_openat(t->dirfd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return error_set(e, fd, "cannot open: %s", strerror(-fd));
	if (fstat(fd, &st) < 0)
		return error_errno(e, "cannot stat");
	r = check_stat(t, &st, e);
	return r < 0 ? r : take_fd(&fd);
}
