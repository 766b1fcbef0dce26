/* SPDX-License-Identifier: Zlib */
/* List the journals beside a map, for `mapfs recover`. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/disk/io.h"
#include "vfs/files/companion.h"
#include "vfs/files/sidecar.h"
#include "vfs/journal/read.h"
#include "vfs/journal/tally.h"

struct listing {
	int dirfd;
	struct trust trust;
	char identity[IDENTITY_SIZE];
	void (*fn)(void *arg, const struct journal_info *i);
	void *arg;
};

int journal_lock(int dirfd, const char *file)
{
	CLEANUP(close_fd)
	int fd = openat(dirfd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : take_fd(&fd);
}

static bool is_locked(int dirfd, const char *file)
{
	CLEANUP(close_fd) int lock = journal_lock(dirfd, file);

	return lock == -EWOULDBLOCK;
}

static int count_operations(struct reclog *log, struct journal_info *ret)
{
	CLEANUP_TALLY struct journal_tally tally = {0};
	struct journal_record rec;
	struct reclog_pos pos = {0};
	struct journal_op op;
	int r = 0;

	while (r == 0 && journal_record_next(log, &pos, &rec, &ret->torn, NULL) > 0) {
		ret->damaged += rec.damaged;
		if (journal_record_op(&rec, &op))
			r = journal_tally_add(&tally, &op);
		journal_record_finish(&rec);
	}
	journal_tally_count(&tally, &ret->changes, &ret->drafts);
	return r;
}

static int list_file(void *arg, const char *file)
{
	struct listing *l = arg;
	struct journal_info info = {.file = file};
	CLEANUP(reclog_close) struct reclog *log = NULL;
	int r;

	info.busy = is_locked(l->dirfd, file);
	info.fits = l->identity[0] && journal_is_of(file, l->identity);
	info.is_set_aside = journal_is_set_aside(file);
	info.is_untrusted = trust_check_name(&l->trust, file, NULL) < 0;
	r = reclog_open_readonly(l->dirfd, file, &log, NULL);
	if (r < 0) {
		info.damaged = 1;
		l->fn(l->arg, &info);
		return 0;
	}
	r = count_operations(log, &info);
	if (r < 0)
		return r;
	l->fn(l->arg, &info);
	return 0;
}

int journal_list(int dirfd, const char *map, void (*fn)(void *arg, const struct journal_info *i),
	void *arg, struct error *e)
{
	struct listing l = {.dirfd = dirfd, .fn = fn, .arg = arg};
	int fd = openat(dirfd, map, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char family[NAME_MAX + 1];
	CLEANUP(file_unref) struct file *f = fd < 0 ? NULL : file_new(fd);
	struct stat st = {.st_uid = geteuid(), .st_gid = getegid()};

	if (f && fstat(f->fd, &st) < 0)
		return error_errno(e, "cannot stat the map");
	trust_init(&l.trust, dirfd, &st);
	/* If the map is missing, no journal fits, but all are listed. */
	if (f && companion_identity(dirfd, map, f, l.identity, NULL) < 0)
		l.identity[0] = '\0';
	sidecar_family(family, map);
	return journal_each_file(dirfd, family, list_file, &l, e);
}
