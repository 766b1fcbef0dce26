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
	uint64_t size;
	/* While file is NULL the content is data[0..size). Bytes of room beyond are not kept zero.
	 */
	uint8_t *data;
	size_t room;
	struct file *file;
	uint64_t shared; /* extents that were handed out end here at the latest */
	bool borrowed; /* file is another's: the content begins at base and is not to be changed */
	uint64_t base;
};

struct spool *spool_create(int dirfd)
{
	struct spool *s = calloc(1, sizeof(*s));

	if (s)
		s->dirfd = dirfd;
	return s;
}

void spool_destroy(struct spool *s)
{
	if (!s)
		return;
	file_unref(s->file);
	free(s->data);
	free(s);
}

uint64_t spool_size(const struct spool *s)
{
	return s->size;
}

static int failed(struct error *e, int r)
{
	return error_set(e, r, "cannot set changed data aside: %s", strerror(-r));
}

void spool_begin_as(struct spool *s, const struct extent *x)
{
	s->file = file_ref(x->file);
	s->base = x->off;
	s->size = x->size;
	s->borrowed = true;
}

static int memory_room(struct spool *s, size_t size, struct error *e)
{
	size_t room = s->room ? s->room : FIRST_ROOM;
	uint8_t *data;

	if (size <= s->room)
		return 0;
	while (room < size)
		room *= 2;
	data = realloc(s->data, room);
	if (!data)
		return failed(e, -ENOMEM);
	s->data = data;
	s->room = room;
	return 0;
}

static int new_file(const struct spool *s, struct file **ret, struct error *e)
{
	int fd = io_tmpfile(s->dirfd);

	if (fd < 0)
		return failed(e, fd);
	*ret = file_new(fd);
	return *ret ? 0 : failed(e, -ENOMEM);
}

static int spill(struct spool *s, struct error *e)
{
	CLEANUP(file_unref) struct file *f = NULL;
	int r = new_file(s, &f, e);

	if (r < 0)
		return r;
	r = io_pwrite(f->fd, s->data, (size_t)s->size, 0);
	if (r < 0)
		return failed(e, r);
	s->file = TAKE(f);
	s->shared = 0;
	free(TAKE(s->data));
	s->room = 0;
	return 0;
}

/* Makes the file this spool's own where bytes from `from` on would change under an extent. */
static int own_file(struct spool *s, uint64_t from, struct error *e)
{
	CLEANUP(file_unref) struct file *f = NULL;
	int r;

	if (from >= s->shared && !s->borrowed)
		return 0;
	if (s->borrowed || atomic_load_explicit(&s->file->refs, memory_order_acquire) > 1) {
		r = new_file(s, &f, e);
		if (r < 0)
			return r;
		r = io_copy(s->file->fd, s->base, s->size, f->fd);
		if (r < 0)
			return failed(e, r);
		file_unref(s->file);
		s->file = TAKE(f);
		s->borrowed = false;
		s->base = 0;
	}
	s->shared = 0;
	return 0;
}

/* Room for [off, end), with zeros between the old end and off. */
static int prepare(struct spool *s, uint64_t off, uint64_t end, struct error *e)
{
	int r;

	if (!s->file && end > SPOOL_MEMORY_MAX) {
		r = spill(s, e);
		if (r < 0)
			return r;
	}
	if (!s->file) {
		r = memory_room(s, (size_t)end, e);
		if (r == 0 && off > s->size)
			memset(s->data + s->size, 0, (size_t)(off - s->size));
		return r;
	}
	r = own_file(s, off, e);
	/* A write that failed may have left bytes beyond the end; the gap must not show them. */
	if (r == 0 && off > s->size) {
		r = io_truncate(s->file->fd, s->size);
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
	if (s->file) {
		r = io_pwrite(s->file->fd, data, n, off);
		if (r < 0)
			return failed(e, r);
	} else {
		memcpy(s->data + off, data, n);
	}
	if (end > s->size)
		s->size = end;
	return 0;
}

int spool_append(struct spool *s, const void *data, size_t n, struct error *e)
{
	return spool_write(s, s->size, data, n, e);
}

int spool_read(const struct spool *s, uint64_t off, void *dst, size_t n, struct error *e)
{
	if (off > s->size || n > s->size - off)
		return error_set(e, -EINVAL,
			"%zu bytes at %" PRIu64 " are not within the %" PRIu64 " there are", n, off,
			s->size);
	if (!n)
		return 0;
	if (s->file)
		return file_read(s->file, s->base + off, dst, n, e);
	memcpy(dst, s->data + off, n);
	return 0;
}

int spool_truncate(struct spool *s, uint64_t size, struct error *e)
{
	int r;

	if (size > INT64_MAX)
		return failed(e, -EFBIG);
	if (!size) {
		file_unref(TAKE(s->file));
		s->size = s->base = 0;
		s->borrowed = false;
		return 0;
	}
	r = prepare(s, size, size, e);
	if (r < 0)
		return r;
	if (s->file) {
		r = io_truncate(s->file->fd, size);
		if (r < 0)
			return failed(e, r);
	}
	s->size = size;
	return 0;
}

int spool_extent(struct spool *s, struct extent *ret, struct error *e)
{
	struct bytes *copy;

	if (s->file) {
		s->shared = s->size;
		*ret = extent_of_file(file_ref(s->file), s->base, s->size);
		return 0;
	}
	copy = bytes_copy(s->data, (size_t)s->size);
	if (!copy)
		return failed(e, -ENOMEM);
	*ret = extent_of_bytes(copy);
	return 0;
}
