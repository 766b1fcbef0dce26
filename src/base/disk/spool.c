/* SPDX-License-Identifier: Zlib */
#include "base/disk/spool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/disk/io.h"
#include "base/disk/io_copy.h"

enum { FIRST_ROOM = 4096 };

struct spool {
	int dirfd;
	/* A span of `room` bytes, undefined from content.size on; or an extent of a file. */
	struct extent content;
	uint8_t *data; /* bytes of the span */
	size_t room;
	uint64_t shared_end; /* largest end of the extents that spool_extent has returned */
	bool is_borrowed;    /* the file is not the spool's own and must not be changed */
	spool_fn sink;       /* see spool_create_sink; else NULL */
	void *sink_arg;
};

struct spool *spool_create(int dirfd)
{
	struct spool *s = calloc(1, sizeof(*s));

	if (s)
		s->dirfd = dirfd;
	return s;
}

struct spool *spool_create_sink(spool_fn fn, void *arg)
{
	struct spool *s = spool_create(-1);

	if (s) {
		s->sink = fn;
		s->sink_arg = arg;
	}
	return s;
}

void spool_destroy(struct spool *s)
{
	if (!s)
		return;
	extent_finish(&s->content);
	free(s);
}

uint64_t spool_size(const struct spool *s)
{
	return s->content.size;
}

static int set_failure(struct error *e, int r)
{
	return error_set(e, r, "cannot store changed data: %s", strerror(-r));
}

void spool_init_from(struct spool *s, const struct extent *x)
{
	s->content = extent_ref(x);
	s->is_borrowed = true;
}

static int reserve_memory(struct spool *s, size_t size, struct error *e)
{
	size_t room = s->room ? s->room : FIRST_ROOM;
	struct bytes *mem;

	if (size <= s->room)
		return 0;
	while (room < size)
		room *= 2;
	mem = bytes_resize(s->content.mem, room, &s->data);
	if (!mem)
		return set_failure(e, -ENOMEM);
	s->content.mem = mem;
	s->room = room;
	return 0;
}

/* Move the content to a new file of the spool: write it from memory, or copy the file. */
static int move_to_file(struct spool *s, struct error *e)
{
	CLEANUP(file_unref) struct file *f = NULL;
	uint64_t size = s->content.size;
	int fd = io_tmpfile(s->dirfd), r;

	if (fd < 0)
		return set_failure(e, fd);
	f = file_new(fd);
	if (!f)
		return set_failure(e, -ENOMEM);
	r = s->content.file ? io_copy(s->content.file->fd, s->content.off, size, fd)
			    : io_pwrite(fd, s->data, (size_t)size, 0);
	if (r < 0)
		return set_failure(e, r);
	extent_finish(&s->content);
	s->content = extent_of_file(TAKE(f), 0, size);
	s->room = 0;
	s->shared_end = 0;
	s->is_borrowed = false;
	return 0;
}

/* Copy the file if it is borrowed, or if an extent may share its bytes from `from` on. */
static int own_file(struct spool *s, uint64_t from, struct error *e)
{
	if (from >= s->shared_end && !s->is_borrowed)
		return 0;
	if (s->is_borrowed ||
		atomic_load_explicit(&s->content.file->refs, memory_order_acquire) > 1)
		return move_to_file(s, e);
	s->shared_end = 0;
	return 0;
}

/* Prepare a write to [off, end), with zeros between the old end and off. */
static int prepare_write(struct spool *s, uint64_t off, uint64_t end, struct error *e)
{
	uint64_t size = s->content.size;
	int r = 0;

	if (!s->content.file && end <= SPOOL_MEMORY_MAX) {
		r = reserve_memory(s, (size_t)end, e);
		if (r == 0 && off > size)
			memset(s->data + size, 0, (size_t)(off - size));
		return r;
	}
	r = s->content.file ? own_file(s, off, e) : move_to_file(s, e);
	/* A failed write may have left bytes beyond the end, which must not appear in the gap. */
	if (r == 0 && off > size) {
		r = io_truncate(s->content.file->fd, size);
		if (r < 0)
			return set_failure(e, r);
	}
	return r;
}

int spool_write(struct spool *s, uint64_t off, const void *data, size_t n, struct error *e)
{
	uint64_t end;
	int r;

	if (!n)
		return 0;
	if (off > INT64_MAX || n > INT64_MAX - off)
		return set_failure(e, -EFBIG);
	end = off + n;
	r = prepare_write(s, off, end, e);
	if (r < 0)
		return r;
	if (s->content.file) {
		r = io_pwrite(s->content.file->fd, data, n, off);
		if (r < 0)
			return set_failure(e, r);
	} else {
		memcpy(s->data + off, data, n);
	}
	if (end > s->content.size)
		s->content.size = end;
	return 0;
}

int spool_append(struct spool *s, const void *data, size_t n, struct error *e)
{
	int r;

	if (!s->sink)
		return spool_write(s, s->content.size, data, n, e);
	r = s->sink(s->sink_arg, data, n, e);
	if (r == 0)
		s->content.size += n;
	return r;
}

int spool_read(const struct spool *s, uint64_t off, void *dst, size_t n, struct error *e)
{
	return extent_read(&s->content, off, dst, n, e);
}

int spool_truncate(struct spool *s, uint64_t size, struct error *e)
{
	int r;

	if (size > INT64_MAX)
		return set_failure(e, -EFBIG);
	if (!size) {
		extent_finish(&s->content);
		s->room = 0;
		s->is_borrowed = false;
		return 0;
	}
	r = prepare_write(s, size, size, e);
	if (r < 0)
		return r;
	if (s->content.file) {
		r = io_truncate(s->content.file->fd, size);
		if (r < 0)
			return set_failure(e, r);
	}
	s->content.size = size;
	return 0;
}

int spool_extent(struct spool *s, struct extent *ret, struct error *e)
{
	struct bytes *copy;

	if (s->content.file) {
		s->shared_end = s->content.size;
		*ret = extent_ref(&s->content);
		return 0;
	}
	copy = bytes_copy(s->data, (size_t)s->content.size);
	if (!copy)
		return set_failure(e, -ENOMEM);
	*ret = extent_of_bytes(copy);
	return 0;
}
