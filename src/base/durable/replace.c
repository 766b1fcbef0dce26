/* SPDX-License-Identifier: Zlib */
#include "base/durable/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "base/disk/io.h"
#include "base/disk/io_copy.h"
#include "base/name.h"
#include "base/disk/metadata.h"

enum { BUFFER_SIZE = 64 << 10, STEP = 1 << 20, AHEAD = 8 << 20, NAME_TRIES = 1000 };
enum { SUFFIX = 6 }; /* number of letters that io_temporary adds to a stem */

struct replace {
	int dirfd; /* borrowed */
	int like_fd;
	char name[NAME_MAX + 1];
	char temporary[NAME_MAX + 1]; /* "" after the file was renamed or removed */
	bool is_discarded;
	struct file *file;
	struct extent pending; /* still to be copied; grows if the next extent is adjacent */
	uint64_t written;
	uint64_t reported; /* value of written at the last call of progress */
	uint64_t flushed;  /* value of written at the last io_write_behind */
	bool is_synced;
	struct stat st; /* set by replace_close */
	struct compared compared;
	void (*progress)(void *arg, uint64_t written);
	void *progress_arg;
	struct error error; /* the first error */
	size_t filled;
	uint8_t buffer[BUFFER_SIZE];
};

/* The stem is .NAME.mapfs-new-. A long NAME is cut between UTF-8 characters. */
void replace_stem(const char *name, char *ret)
{
	static const char end[] = ".mapfs-new-";
	size_t n = strlen(name);
	size_t most = NAME_MAX - 6 - strlen(end) - 1;

	if (n > most) {
		n = most;
		while (n && ((uint8_t)name[n] & 0xc0) == 0x80)
			n--;
	}
	snprintf(ret, NAME_MAX + 1, ".%.*s%s", (int)n, name, end);
}

int replace_begin(int dirfd, const char *name, int like, struct replace **ret, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *r = NULL;
	char stem[NAME_MAX + 1];
	int fd;

	if (name_check(name, strlen(name)) < 0)
		return error_set(e, -EINVAL, "%s is not a valid file name", name);
	r = calloc(1, sizeof(*r));
	if (!r)
		return error_set(e, -ENOMEM, "out of memory");
	r->dirfd = dirfd;
	r->like_fd = -1;
	strcpy(r->name, name);
	if (like >= 0) {
		r->like_fd = fcntl(like, F_DUPFD_CLOEXEC, 3);
		if (r->like_fd < 0)
			return error_errno(e, "cannot keep %s open", name);
	}
	replace_stem(name, stem);
	/* A private file must not be readable while it is written; replace_close sets the mode. */
	fd = io_temporary(dirfd, stem, like >= 0 ? 0600 : 0666, r->temporary);
	if (fd < 0)
		return error_set(
			e, fd, "cannot create a new file beside %s: %s", name, strerror(-fd));
	r->file = file_new(fd);
	if (!r->file)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = TAKE(r);
	return 0;
}

static void set_failure(struct replace *r, int code)
{
	if (code < 0)
		error_set(&r->error, code, "cannot write %s: %s", r->temporary, strerror(-code));
}

static void flush_buffer(struct replace *r)
{
	if (r->filled && !r->error.code)
		set_failure(r, io_write(r->file->fd, r->buffer, r->filled));
	r->filled = 0;
}

static void count_written(struct replace *r, uint64_t n)
{
	r->written += n;
	if (r->written - r->flushed >= AHEAD) {
		r->flushed = r->written;
		io_write_behind(r->file->fd);
	}
	if (r->progress && r->written - r->reported >= STEP) {
		r->reported = r->written;
		r->progress(r->progress_arg, r->written);
	}
}

static void buffer_bytes(struct replace *r, const uint8_t *p, size_t n)
{
	while (n && !r->error.code) {
		size_t step = BUFFER_SIZE - r->filled < n ? BUFFER_SIZE - r->filled : n;

		memcpy(r->buffer + r->filled, p, step);
		r->filled += step;
		if (r->filled == BUFFER_SIZE)
			flush_buffer(r);
		p += step;
		n -= step;
		count_written(r, step);
	}
}

static void copy_pending(struct replace *r, const struct extent *x)
{
	uint64_t at = r->written, done = 0;
	bool all = true;

	flush_buffer(r);
	while (done < x->size && !r->error.code) {
		uint64_t step = x->size - done < AHEAD ? x->size - done : AHEAD;
		bool compared;

		set_failure(r,
			io_copy_compared(x->file->fd, x->off + done, step, r->file->fd, &compared));
		done += step;
		all &= compared;
		count_written(r, step);
	}
	if (all && !r->error.code)
		compared_add(&r->compared, x, at);
}

static void flush_pending(struct replace *r)
{
	CLEANUP_EXTENT struct extent x = r->pending;

	r->pending = (struct extent)EXTENT_INIT;
	if (r->error.code || !x.size)
		return;
	if (x.size > BUFFER_SIZE) {
		copy_pending(r, &x);
		return;
	}
	/* Collect small extents in the buffer, so that one write suffices for many. */
	if (x.size > BUFFER_SIZE - r->filled)
		flush_buffer(r);
	if (extent_read(&x, 0, r->buffer + r->filled, (size_t)x.size, &r->error) < 0)
		return;
	r->filled += (size_t)x.size;
	count_written(r, x.size);
}

void replace_write(struct replace *r, const void *data, size_t n)
{
	flush_pending(r);
	buffer_bytes(r, data, n);
}

void replace_copy(struct replace *r, const struct extent *x)
{
	if (x->mem) {
		replace_write(r, x->mem->data + x->off, (size_t)x->size);
	} else if (r->pending.file == x->file && r->pending.off + r->pending.size == x->off) {
		r->pending.size += x->size;
	} else {
		flush_pending(r);
		r->pending = extent_ref(x);
	}
}

uint64_t replace_size(const struct replace *r)
{
	return r->written + r->pending.size;
}

void replace_on_progress(struct replace *r, void (*fn)(void *arg, uint64_t written), void *arg)
{
	r->progress = fn;
	r->progress_arg = arg;
}

int replace_close(struct replace *r, struct error *e)
{
	flush_pending(r);
	flush_buffer(r);
	if (!r->error.code && r->like_fd >= 0)
		metadata_copy(r->like_fd, r->file->fd, &r->error);
	if (!r->error.code)
		io_write_behind(r->file->fd);
	/* The size can differ from the bytes written only if the file system is broken. */
	if (!r->error.code && fstat(r->file->fd, &r->st) < 0)
		set_failure(r, -errno);
	if (!r->error.code && (uint64_t)r->st.st_size != r->written)
		error_set(&r->error, -EIO, "%s is %jd bytes (%" PRIu64 " were written)",
			r->temporary, (intmax_t)r->st.st_size, r->written);
	if (r->error.code && e)
		*e = r->error;
	return r->error.code;
}

int replace_sync(struct replace *r, struct error *e)
{
	if (!r->error.code && !r->is_synced)
		set_failure(r, io_sync(r->file->fd));
	r->is_synced = !r->error.code;
	if (r->error.code && e)
		*e = r->error;
	return r->error.code;
}

const struct compared *replace_compared(const struct replace *r)
{
	return &r->compared;
}

struct file *replace_file(struct replace *r)
{
	return file_ref(r->file);
}

const struct stat *replace_stat(const struct replace *r)
{
	return &r->st;
}

int replace_set_name(struct replace *r, const char *name, struct error *e)
{
	if (name_check(name, strlen(name)) < 0)
		return error_set(e, -EINVAL, "%s is not a valid file name", name);
	strcpy(r->name, name);
	return 0;
}

bool replace_is_committed(const struct replace *r)
{
	return !r->temporary[0] && !r->is_discarded;
}

int replace_dirfd(const struct replace *r)
{
	return r->dirfd;
}

const char *replace_name(const struct replace *r)
{
	return r->name;
}

const char *replace_temporary(const struct replace *r)
{
	return r->temporary;
}

void replace_forget_temporary(struct replace *r)
{
	r->temporary[0] = '\0';
}

void replace_discard(struct replace *r)
{
	if (r->temporary[0] && io_unlink(r->dirfd, r->temporary) == 0) {
		r->temporary[0] = '\0';
		r->is_discarded = true;
	}
}

int replace_lock(struct replace *r, struct error *e)
{
	int code = replace_sync(r, e);

	if (code < 0)
		return code;
	if (flock(r->file->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK)
		return error_set(e, -EBUSY, "%s is locked by another program", r->temporary);
	/* If the file system does not support locks, save without one. */
	return 0;
}

/* Rename to the first free name of NAME, NAME.1, NAME.2, and so on. */
static int rename_to_free_name(struct replace *r, char *ret_name)
{
	char name[NAME_MAX + 1];
	int code = -EEXIST;

	strcpy(name, r->name);
	for (int i = 1; i <= NAME_TRIES; i++) {
		int n;

		code = io_rename_noreplace(r->dirfd, r->temporary, name);
		if (code != -EEXIST)
			break;
		n = snprintf(name, sizeof(name), "%s.%d", r->name, i);
		if (n < 0 || (size_t)n >= sizeof(name))
			return -ENAMETOOLONG;
	}
	if (code == 0 && ret_name)
		strcpy(ret_name, name);
	return code;
}

int replace_commit(struct replace *r, bool over, char *ret_name, struct error *e)
{
	int code = replace_lock(r, e);

	if (code < 0)
		return code;
	if (over) {
		code = io_rename(r->dirfd, r->temporary, r->name);
		if (code == 0 && ret_name)
			strcpy(ret_name, r->name);
	} else {
		code = rename_to_free_name(r, ret_name);
	}
	if (code < 0)
		return error_set(
			e, code, "cannot rename the new file to %s: %s", r->name, strerror(-code));
	r->temporary[0] = '\0';
	code = io_sync_dir(r->dirfd);
	if (code < 0)
		return error_set(e, code, "%s is written, but cannot sync its directory: %s",
			r->name, strerror(-code));
	return 0;
}

struct sweep {
	const struct trust *trust;
	size_t n; /* length of the temporary names */
};

static int remove_leftover(void *arg, const char *file)
{
	const struct sweep *s = arg;

	if (strlen(file) == s->n && trust_check_name(s->trust, file, NULL) == 0)
		(void)io_unlink(s->trust->dirfd, file);
	return 0;
}

void replace_remove_leftovers_cached(
	const struct trust *trust, struct sidecar_cache *sidecars, const char *name)
{
	struct sweep s = {.trust = trust};
	char stem[NAME_MAX + 1];

	replace_stem(name, stem);
	s.n = strlen(stem) + SUFFIX;
	(void)sidecar_cache_each(sidecars, stem, remove_leftover, &s, NULL);
}

void replace_remove_leftovers(const struct trust *trust, const char *name)
{
	CLEANUP(sidecar_cache_destroy)
	struct sidecar_cache *sidecars = sidecar_cache_create(trust->dirfd);

	if (sidecars)
		replace_remove_leftovers_cached(trust, sidecars, name);
}

void replace_destroy(struct replace *r)
{
	if (!r)
		return;
	if (r->temporary[0])
		io_unlink(r->dirfd, r->temporary);
	if (r->like_fd >= 0)
		close(r->like_fd);
	extent_finish(&r->pending);
	compared_finish(&r->compared);
	file_unref(r->file);
	free(r);
}
