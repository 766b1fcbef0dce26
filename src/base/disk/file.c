/* SPDX-License-Identifier: Zlib */
#include "base/disk/file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "base/refs.h"

struct file *file_new(int fd)
{
	struct file *f = malloc(sizeof(*f));

	if (!f) {
		close(fd);
		return NULL;
	}
	atomic_init(&f->refs, 1);
	f->fd = fd;
	return f;
}

DEFINE_REF(struct file, file_ref)

void file_unref(struct file *f)
{
	if (f && refs_drop(&f->refs)) {
		close(f->fd);
		free(f);
	}
}

int file_read(const struct file *f, uint64_t off, void *dst, size_t n, struct error *e)
{
	uint8_t *to = dst;

	if (off > INT64_MAX || n > INT64_MAX - off)
		return error_set(e, -EINVAL, "offset %" PRIu64 " is too large", off);
	while (n) {
		ssize_t got = pread(f->fd, to, n, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno(e, "cannot read at %" PRIu64, off);
		if (!got)
			return error_set(e, -EIO,
				"the file ends at %" PRIu64 ", %zu bytes too early", off, n);
		to += got;
		off += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

void file_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

struct extent extent_of_bytes(struct bytes *b)
{
	return (struct extent){.mem = b, .size = b ? b->size : 0};
}

struct extent extent_of_file(struct file *f, uint64_t off, uint64_t size)
{
	return (struct extent){.file = f, .off = off, .size = size};
}

struct extent extent_ref(const struct extent *x)
{
	struct extent to = *x;

	bytes_ref(to.mem);
	file_ref(to.file);
	return to;
}

void extent_finish(struct extent *x)
{
	bytes_unref(x->mem);
	file_unref(x->file);
	*x = (struct extent)EXTENT_INIT;
}

int extent_read(const struct extent *x, uint64_t off, void *dst, size_t n, struct error *e)
{
	if (off > x->size || n > x->size - off)
		return error_set(e, -EINVAL,
			"%zu bytes at %" PRIu64 " are past the end (size %" PRIu64 ")", n, off,
			x->size);
	if (!n)
		return 0;
	if (!x->mem)
		return file_read(x->file, x->off + off, dst, n, e);
	memcpy(dst, x->mem->data + x->off + off, n);
	return 0;
}

enum { CHUNK = 52 << 10, PAGE = 4096 };

int extent_equal(const struct extent *a, const struct extent *b, bool *ret, struct error *e)
{
	/* Keep the offset in the page that the bytes have in the file: the kernel copies faster. */
	size_t half = PAGE * ((a->size < CHUNK ? (size_t)a->size : CHUNK) / PAGE + 2);
	CLEANUP(free) uint8_t *room = aligned_alloc(PAGE, 2 * half);
	uint8_t *x = room + a->off % PAGE, *y = room + half + b->off % PAGE;

	if (!room)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = true;
	for (uint64_t at = 0; *ret && at < a->size; at += CHUNK) {
		size_t n = a->size - at < CHUNK ? (size_t)(a->size - at) : CHUNK;
		int r = extent_read(a, at, x, n, e);

		if (r == 0)
			r = extent_read(b, at, y, n, e);
		if (r < 0)
			return r;
		*ret = memcmp(x, y, n) == 0;
	}
	return 0;
}

int extent_load(const struct extent *x, uint64_t max, struct bytes **ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	uint8_t *to;
	int r;

	if (x->size > max || x->size > SIZE_MAX)
		return error_set(
			e, -EFBIG, "size is %" PRIu64 " bytes (at most %" PRIu64 ")", x->size, max);
	if (x->mem && !x->off && x->size == x->mem->size) {
		*ret = bytes_ref(x->mem);
		return 0;
	}
	b = bytes_new(x->size, &to);
	if (!b)
		return error_set(e, -ENOMEM, "out of memory");
	r = extent_read(x, 0, to, (size_t)x->size, e);
	if (r < 0)
		return r;
	*ret = TAKE(b);
	return 0;
}
