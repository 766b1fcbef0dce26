/* SPDX-License-Identifier: Zlib */
#include "base/durable/reclog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cursor.h"
#include "base/disk/io.h"
#include "base/disk/io_copy.h"
#include "base/durable/record.h"

static const char magic[] = "mapfs-journal-2\n", magic_1[] = "mapfs-journal-1\n";

enum { MAGIC_SIZE = sizeof(magic) - 1, NUMBER_MASK = (1 << 24) - 1 };

_Static_assert(MAGIC_SIZE == 16, "the magic is 16 bytes");

struct reclog {
	struct file *file;
	int dirfd;
	bool is_readonly;
	bool is_numbered;
	uint64_t first_record; /* offset of the first record */
	pthread_mutex_t lock;  /* protects number, size, dir_synced, failure, chunk */
	uint32_t number;       /* of the next record */
	uint64_t size;         /* end of the last record, where the next one goes */
	bool dir_synced;
	struct error failure;
	uint8_t chunk[RECORD_CHUNK]; /* for record_write */
};

static uint64_t locked_size(struct reclog *l)
{
	uint64_t size;

	pthread_mutex_lock(&l->lock);
	size = l->size;
	pthread_mutex_unlock(&l->lock);
	return size;
}

/* Return 0 at a torn end, or 1 and the damage from `at` up to the next record or the end. */
static int skip_damage(struct reclog *l, uint64_t at, uint64_t end, struct record *ret,
	struct reclog_pos *pos, bool *ret_torn, struct error *e)
{
	uint64_t next = end;
	bool torn = false;
	int r = record_is_torn(l->file, at, end, &torn, e);

	if (r == 0 && torn && ret_torn)
		*ret_torn = true;
	if (r < 0 || torn)
		return r;
	r = record_seek(l->file, at, end, &next, e);
	if (r < 0)
		return r;
	*ret = (struct record){
		.is_damaged = true, .payload = extent_of_file(file_ref(l->file), at, next - at)};
	*pos = (struct reclog_pos){.offset = next, .number = pos->number, .is_uncertain = true};
	return 1;
}

int reclog_next(struct reclog *l, struct reclog_pos *pos, struct record *ret, bool *ret_torn,
	struct error *e)
{
	uint64_t at = pos->offset ? pos->offset : l->first_record, next;
	uint64_t end = locked_size(l);
	int r;

	/* Even the magic may be incomplete. */
	if (ret_torn)
		*ret_torn = at > end;
	if (at >= end)
		return 0;
	r = record_read(l->file, at, end, ret, &next, e);
	if (r <= 0)
		return r < 0 ? r : skip_damage(l, at, end, ret, pos, ret_torn, e);
	if (l->is_numbered && !pos->is_uncertain && ret->number != pos->number) {
		extent_finish(&ret->payload);
		*ret = (struct record){.is_damaged = true};
		*pos = (struct reclog_pos){.offset = at, .is_uncertain = true};
		return 1;
	}
	*pos = (struct reclog_pos){.offset = next, .number = (ret->number + 1) & NUMBER_MASK};
	return 1;
}

/* Check the magic. Returns 1, 0 if it is incomplete, or -EINVAL if it is another one. */
static int check_magic(struct reclog *l, struct error *e)
{
	char begin[MAGIC_SIZE];
	size_t n = l->size < MAGIC_SIZE ? (size_t)l->size : MAGIC_SIZE;
	int r = file_read(l->file, 0, begin, n, e);

	if (r < 0)
		return r;
	l->is_numbered = memcmp(begin, magic, n) == 0;
	if (!l->is_numbered && memcmp(begin, magic_1, n) != 0)
		return error_set(e, -EINVAL, "is not a journal of mapfs");
	return n == MAGIC_SIZE;
}

/* Truncate a torn end. Write the magic if it is incomplete. */
static int repair_end(struct reclog *l, struct error *e)
{
	struct record rec;
	struct reclog_pos pos = {0};
	bool torn = false;
	int r = check_magic(l, e);

	if (r < 0)
		return r;
	if (r == 0) {
		r = io_pwrite(l->file->fd, magic, MAGIC_SIZE, 0);
		if (r < 0)
			return error_set(e, r, "cannot write: %s", strerror(-r));
		l->size = MAGIC_SIZE;
		l->is_numbered = true;
		return 0;
	}
	while ((r = reclog_next(l, &pos, &rec, &torn, e)) == 1)
		extent_finish(&rec.payload);
	l->number = pos.number;
	if (r < 0 || !torn)
		return r;
	pos.offset = pos.offset ? pos.offset : l->first_record;
	r = io_truncate(l->file->fd, pos.offset);
	if (r < 0)
		return error_set(e, r, "cannot truncate the incomplete end: %s", strerror(-r));
	l->size = pos.offset;
	return 0;
}

static int reclog_new(int fd, int dirfd, struct reclog **ret, struct error *e)
{
	CLEANUP(reclog_close) struct reclog *l = calloc(1, sizeof(*l));
	struct stat st;

	if (!l) {
		close(fd);
		return error_set(e, -ENOMEM, "out of memory");
	}
	pthread_mutex_init(&l->lock, NULL);
	l->dirfd = dirfd;
	l->first_record = MAGIC_SIZE;
	l->file = file_new(fd);
	if (!l->file)
		return error_set(e, -ENOMEM, "out of memory");
	if (fstat(fd, &st) < 0)
		return error_errno(e, "cannot stat");
	l->size = (uint64_t)st.st_size;
	*ret = TAKE(l);
	return 0;
}

/* Is fd still the file of that name? Another process may have removed it before fd was locked. */
static bool is_named(int fd, int dirfd, const char *name)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstatat(dirfd, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Open and lock a file, or create it if trust is NULL. */
static int open_locked(int dirfd, const char *name, const struct trust *trust, struct error *e)
{
	CLEANUP(close_fd)
	int fd = trust ? trust_open(trust, name, O_RDWR, e)
		       : io_openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		return trust ? fd : error_set(e, fd, "cannot create: %s", strerror(-fd));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return error_set(e, -EBUSY, "is in use by another process");
	if (!is_named(fd, dirfd, name))
		return error_set(e, -ENOENT, "was removed while it was opened");
	return take_fd(&fd);
}

static int open_repaired(int dirfd, const char *name, const struct trust *trust,
	struct reclog **ret, struct error *e)
{
	CLEANUP(reclog_close) struct reclog *l = NULL;
	int fd = open_locked(dirfd, name, trust, e), r = fd;

	if (fd >= 0)
		r = reclog_new(fd, dirfd, &l, e);
	if (r == 0)
		r = repair_end(l, e);
	if (r < 0 && fd >= 0 && !trust)
		io_unlink(dirfd, name);
	if (r < 0)
		return error_context(e, "journal %s", name), r;
	*ret = TAKE(l);
	return 0;
}

int reclog_create(int dirfd, const char *name, struct reclog **ret, struct error *e)
{
	return open_repaired(dirfd, name, NULL, ret, e);
}

int reclog_create_unnamed(int dirfd, struct reclog **ret, struct error *e)
{
	CLEANUP(reclog_close) struct reclog *l = NULL;
	int fd = io_tmpfile(dirfd), r;

	if (fd < 0)
		return error_set(e, fd, "cannot create a temporary file: %s", strerror(-fd));
	r = reclog_new(fd, -1, &l, e);
	if (r == 0)
		r = repair_end(l, e);
	if (r == 0)
		*ret = TAKE(l);
	return r;
}

int reclog_open(const struct trust *trust, const char *name, struct reclog **ret, struct error *e)
{
	return open_repaired(trust->dirfd, name, trust, ret, e);
}

int reclog_open_readonly(int dirfd, const char *name, struct reclog **ret, struct error *e)
{
	CLEANUP(reclog_close) struct reclog *l = NULL;
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0)
		return error_errno(e, "journal %s", name);
	r = reclog_new(fd, -1, &l, e);
	if (r == 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		r = error_set(e, -EPERM, "is not a regular file");
	if (r == 0)
		r = check_magic(l, e);
	if (r < 0 && r != -EINVAL) {
		error_context(e, "journal %s", name);
		return r;
	}
	if (r == -EINVAL && e)
		*e = (struct error)ERROR_INIT;
	/* If the magic is damaged, read from offset 0, so that reclog_next reports it as damage. */
	l->first_record = r == -EINVAL ? 0 : MAGIC_SIZE;
	l->is_readonly = true;
	*ret = TAKE(l);
	return 0;
}

static int report_failure(const struct reclog *l, struct error *e)
{
	return error_set(e, l->failure.code, "%s", l->failure.text);
}

bool reclog_has_name(const struct reclog *l, const char *name)
{
	return is_named(l->file->fd, l->dirfd, name);
}

/* Copy the log to fd, and dup fd over the log's descriptor. Call with the lock held. */
static int switch_to_copy(struct reclog *l, int fd, struct error *e)
{
	int r = io_copy(l->file->fd, 0, l->size, fd);

	if (r == 0 && dup3(fd, l->file->fd, O_CLOEXEC) < 0)
		r = -errno;
	if (r < 0)
		return error_set(e, r, "cannot copy: %s", strerror(-r));
	l->dir_synced = false;
	return 0;
}

int reclog_rewrite(struct reclog *l, const char *name, struct error *e)
{
	CLEANUP(close_fd) int fd = open_locked(l->dirfd, name, NULL, e);
	int r = fd;

	if (fd >= 0) {
		pthread_mutex_lock(&l->lock);
		r = l->failure.code ? report_failure(l, e) : switch_to_copy(l, fd, e);
		pthread_mutex_unlock(&l->lock);
		if (r < 0)
			(void)io_unlink(l->dirfd, name);
	}
	if (r < 0)
		error_context(e, "journal %s", name);
	return r < 0 ? r : 0;
}

/* Copy the log to a locked temporary file, and sync it. */
static int copy_to_temporary(
	struct reclog *l, int dirfd, const char *stem, char *ret_name, struct error *e)
{
	CLEANUP(close_fd) int fd = io_temporary(dirfd, stem, 0600, ret_name);
	int r = fd < 0 ? fd : 0;

	if (r < 0) {
		ret_name[0] = '\0';
		return error_set(e, r, "cannot create: %s", strerror(-r));
	}
	/* Other failures: the file system has no locks. */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return error_errno(e, "cannot lock");
	pthread_mutex_lock(&l->lock);
	r = l->failure.code ? report_failure(l, e) : switch_to_copy(l, fd, e);
	pthread_mutex_unlock(&l->lock);
	if (r == 0 && (r = io_datasync(fd)) < 0)
		error_set(e, r, "cannot sync: %s", strerror(-r));
	return r;
}

int reclog_replace(struct reclog *l, int dirfd, const char *stem, const char *name, struct error *e)
{
	char temporary[NAME_MAX + 1];
	int r = copy_to_temporary(l, dirfd, stem, temporary, e);

	if (r == 0 && (r = io_rename(dirfd, temporary, name)) < 0)
		error_set(e, r, "cannot replace: %s", strerror(-r));
	if (r < 0) {
		if (temporary[0])
			(void)io_unlink(dirfd, temporary);
		return error_context(e, "journal %s", name), r;
	}
	l->dirfd = dirfd;
	l->dir_synced = io_sync_dir(dirfd) == 0;
	return 0;
}

void reclog_close(struct reclog *l)
{
	if (!l)
		return;
	/* Payloads may keep the descriptor open, which would keep the lock. */
	if (l->file && !l->is_readonly)
		flock(l->file->fd, LOCK_UN);
	file_unref(l->file);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

static int total_size(const struct reclog *l, const struct extent *parts, size_t n_parts,
	uint64_t *ret, struct error *e)
{
	uint64_t size = 0;
	bool bad = false;

	for (size_t i = 0; i < n_parts; i++)
		bad = bad || ckd_add(&size, size, parts[i].size);
	if (bad || size > INT64_MAX - l->size - RECORD_FRAME_SIZE)
		return error_set(e, -EFBIG, "the record is too large");
	*ret = size;
	return 0;
}

static int append_locked(struct reclog *l, uint32_t type, const struct extent *parts,
	size_t n_parts, struct extent *ret_payload, struct error *e)
{
	struct record_writer w = {.fd = l->file->fd, .pos = l->size, .chunk = l->chunk};
	uint64_t size = 0;
	int r, cut;

	r = total_size(l, parts, n_parts, &size, e);
	if (r < 0)
		return r;
	r = record_write(&w, type, l->is_numbered ? l->number : 0, size, parts, n_parts, e);
	if (r < 0) {
		cut = io_truncate(l->file->fd, l->size);
		if (cut < 0)
			error_set(&l->failure, r, "an earlier write failed: %s", strerror(-r));
		return r;
	}
	if (ret_payload)
		*ret_payload =
			extent_of_file(file_ref(l->file), l->size + RECORD_HEADER_SIZE, size);
	l->size = w.pos;
	l->number = (l->number + 1) & NUMBER_MASK;
	return 0;
}

int reclog_append(struct reclog *l, uint32_t type, const struct extent *parts, size_t n_parts,
	struct extent *ret_payload, struct error *e)
{
	int r;

	if (l->is_readonly)
		return error_set(e, -EBADF, "journal: is open read-only");
	pthread_mutex_lock(&l->lock);
	r = l->failure.code ? report_failure(l, e)
			    : append_locked(l, type, parts, n_parts, ret_payload, e);
	pthread_mutex_unlock(&l->lock);
	if (r < 0)
		error_context(e, "journal");
	return r;
}

int reclog_sync(struct reclog *l, struct error *e)
{
	bool dir_synced;
	int r;

	if (l->is_readonly)
		return 0;
	pthread_mutex_lock(&l->lock);
	r = l->failure.code ? report_failure(l, e) : 0;
	dir_synced = l->dir_synced;
	pthread_mutex_unlock(&l->lock);
	if (r == 0) {
		/* The lock is not held, so appends do not wait for the disk. */
		r = io_datasync(l->file->fd);
		if (r == 0 && !dir_synced)
			r = io_sync_dir(l->dirfd);
		pthread_mutex_lock(&l->lock);
		if (r == 0)
			l->dir_synced = true;
		else if (!l->failure.code)
			error_set(&l->failure, r, "cannot sync: %s", strerror(-r));
		if (r < 0)
			report_failure(l, e);
		pthread_mutex_unlock(&l->lock);
	}
	if (r < 0)
		error_context(e, "journal");
	return r;
}

uint64_t reclog_size(const struct reclog *l)
{
	return locked_size((struct reclog *)(uintptr_t)l);
}
