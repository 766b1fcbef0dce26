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
	/* What stands in it: a span of `room` bytes, those beyond the size not kept zero, or a
	 * file's. */
	struct extent x;
	uint8_t *data; /* of the span */
	size_t room;
	uint64_t shared; /* extents that were handed out end here at the latest */
	bool borrowed;   /* the file is another's, and not to be changed */
	spool_fn to;     /* NULL: it keeps what stands in it */
	void *to_arg;
};

struct spool *spool_create(int dirfd)
{
	struct spool *s = calloc(1, sizeof(*s));

	if (s)
		s->dirfd = dirfd;
	return s;
}

struct spool *spool_create_to(spool_fn fn, void *arg)
{
	struct spool *s = spool_create(-1);

	if (s) {
		s->to = fn;
		s->to_arg = arg;
	}
	return s;
}

void spool_destroy(struct spool *s)
{
	if (!s)
		return;
	extent_finish(&s->x);
	free(s);
}

uint64_t spool_size(const struct spool *s)
{
	return s->x.size;
}

static int failed(struct error *e, int r)
{
	return error_set(e, r, "cannot set changed data aside: %s", strerror(-r));
}

void spool_begin_as(struct spool *s, const struct extent *x)
{
	s->x = extent_ref(x);
	s->borrowed = true;
}

static int memory_room(struct spool *s, size_t size, struct error *e)
{
	size_t room = s->room ? s->room : FIRST_ROOM;
	struct bytes *mem;

	if (size <= s->room)
		return 0;
	while (room < size)
		room *= 2;
	mem = bytes_resize(s->x.mem, room, &s->data);
	if (!mem)
		return failed(e, -ENOMEM);
	s->x.mem = mem;
	s->room = room;
	return 0;
}

/* Has it in a file of its own: what is in memory is written there, another's file copied. */
static int move_to_file(struct spool *s, struct error *e)
{
	CLEANUP(file_unref) struct file *f = NULL;
	uint64_t size = s->x.size;
	int fd = io_tmpfile(s->dirfd), r;

	if (fd < 0)
		return failed(e, fd);
	f = file_new(fd);
	if (!f)
		return failed(e, -ENOMEM);
	r = s->x.file ? io_copy(s->x.file->fd, s->x.off, size, fd)
		      : io_pwrite(fd, s->data, (size_t)size, 0);
	if (r < 0)
		return failed(e, r);
	extent_finish(&s->x);
	s->x = extent_of_file(TAKE(f), 0, size);
	s->room = 0;
	s->shared = 0;
	s->borrowed = false;
	return 0;
}

/* Makes the file this spool's own where bytes from `from` on would change under an extent. */
static int own_file(struct spool *s, uint64_t from, struct error *e)
{
	if (from >= s->shared && !s->borrowed)
		return 0;
	if (s->borrowed || atomic_load_explicit(&s->x.file->refs, memory_order_acquire) > 1)
		return move_to_file(s, e);
	s->shared = 0;
	return 0;
}

/* Room for [off, end), with zeros between the old end and off. */
static int prepare(struct spool *s, uint64_t off, uint64_t end, struct error *e)
{
	uint64_t size = s->x.size;
	int r = 0;

	if (!s->x.file && end <= SPOOL_MEMORY_MAX) {
		r = memory_room(s, (size_t)end, e);
		if (r == 0 && off > size)
			memset(s->data + size, 0, (size_t)(off - size));
		return r;
	}
	r = s->x.file ? own_file(s, off, e) : move_to_file(s, e);
	/* A write that failed may have left bytes beyond the end; the gap must not show them. */
	if (r == 0 && off > size) {
		r = io_truncate(s->x.file->fd, size);
		if (r < 0)
			return failed(e, r);
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
		return failed(e, -EFBIG);
	end = off + n;
	r = prepare(s, off, end, e);
	if (r < 0)
		return r;
	if (s->x.file) {
		r = io_pwrite(s->x.file->fd, data, n, off);
		if (r < 0)
			return failed(e, r);
	} else {
		memcpy(s->data + off, data, n);
	}
	if (end > s->x.size)
		s->x.size = end;
	return 0;
}

int spool_append(struct spool *s, const void *data, size_t n, struct error *e)
{
	int r;

	if (!s->to)
		return spool_write(s, s->x.size, data, n, e);
	r = s->to(s->to_arg, data, n, e);
	if (r == 0)
		s->x.size += n;
	return r;
}

int spool_read(const struct spool *s, uint64_t off, void *dst, size_t n, struct error *e)
{
	return extent_read(&s->x, off, dst, n, e);
}

int spool_truncate(struct spool *s, uint64_t size, struct error *e)
{
	int r;

	if (size > INT64_MAX)
		return failed(e, -EFBIG);
	if (!size) {
		extent_finish(&s->x);
		s->room = 0;
		s->borrowed = false;
		return 0;
	}
	r = prepare(s, size, size, e);
	if (r < 0)
		return r;
	if (s->x.file) {
		r = io_truncate(s->x.file->fd, size);
		if (r < 0)
			return failed(e, r);
	}
	s->x.size = size;
	return 0;
}

int spool_extent(struct spool *s, struct extent *ret, struct error *e)
{
	struct bytes *copy;

	if (s->x.file) {
		s->shared = s->x.size;
		*ret = extent_ref(&s->x);
		return 0;
	}
	copy = bytes_copy(s->data, (size_t)s->x.size);
	if (!copy)
		return failed(e, -ENOMEM);
	*ret = extent_of_bytes(copy);
	return 0;
}
