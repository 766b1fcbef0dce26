/* SPDX-License-Identifier: Zlib */
#include "codec/zlib/inflate.h"

#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <sys/mman.h>

#include "base/cursor.h"
#include "codec/zlib/feed.h"
#include "codec/zlib/plain.h"

enum {
	/* The first allocation is stored size times this, the usual maximum of compression. A
	 * stream that declares more gets more memory only after it yields this much. */
	FIRST_RATIO = 8,
	NEXT_RATIO = 4,
};

/* The next size of a full buffer, never more than declared. */
static size_t next_size(size_t room, uint64_t stored, uint64_t declared)
{
	uint64_t next;

	if (room ? ckd_mul(&next, (uint64_t)room, NEXT_RATIO) : ckd_mul(&next, stored, FIRST_RATIO))
		next = declared;
	if (next < FEED_CHUNK)
		next = FEED_CHUNK;
	return (size_t)(next < declared ? next : declared);
}

static int inflate_growing(struct feed *f, struct bytes **span, struct error *e)
{
	uint8_t *data;
	size_t room = 0;
	int r;

	do {
		size_t next = next_size(room, f->x->size, f->declared);
		struct bytes *larger = bytes_resize(*span, next, &data);

		if (!larger)
			return error_set(e, -ENOMEM, "out of memory");
		*span = larger;
		r = feed_pull(f, data + room, next - room, e);
		if (r < 0)
			return r;
		room = next;
	} while (room < f->declared);
	return feed_expect_end(f, e);
}

DEFINE_CLEANUP(struct libdeflate_decompressor, libdeflate_free_decompressor);

/* Input up to AT_ONCE_MAX is loaded whole; larger input is read in pieces. */
enum {
	AT_ONCE_MAX = 8 << 20,
	RATIO_MAX = 1032, /* maximum of deflate */
	HUGE = 4 << 20,
	PAGE = 4096, /* if pages are larger, madvise fails, which is harmless */
};

/* Ask for huge pages, because a page fault for every 4 KiB costs more than inflating them. */
static void ask_for_huge_pages(uint8_t *data, size_t n)
{
	uintptr_t from = ((uintptr_t)data + PAGE - 1) / PAGE * PAGE;
	uintptr_t to = ((uintptr_t)data + n) / PAGE * PAGE;

	(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/*
 * Inflate the whole stream with libdeflate, if zlib would accept it, too. Returns NULL if it would
 * not, if that is unknown, or if memory is exhausted; the caller then uses zlib.
 */
static struct bytes *inflate_at_once(const struct extent *x, uint64_t declared)
{
	CLEANUP(libdeflate_free_decompressor) struct libdeflate_decompressor *d = NULL;
	CLEANUP(bytes_unref) struct bytes *span = NULL, *in = NULL;
	uint8_t *data;
	size_t used, got;

	if (x->size > AT_ONCE_MAX || !declared || declared / RATIO_MAX > x->size)
		return NULL;
	if (extent_load(x, AT_ONCE_MAX, &in, NULL) < 0)
		return NULL;
	d = libdeflate_alloc_decompressor();
	span = bytes_resize(NULL, declared, &data);
	if (span && declared >= HUGE)
		ask_for_huge_pages(data, (size_t)declared);
	if (!d || !span ||
		libdeflate_zlib_decompress_ex(d, in->data, in->size, data, (size_t)declared, &used,
			&got) != LIBDEFLATE_SUCCESS ||
		got != declared || !zlib_stream_is_plain(in->data, used))
		return NULL;
	feed_count(got);
	return TAKE(span);
}

int inflate_all(const struct extent *x, uint64_t declared, struct bytes **ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *span = NULL;
	struct feed f;
	int r;

	if (declared > SIZE_MAX / 2)
		return error_set(
			e, -EIO, "the declared size is too large (%" PRIu64 " bytes)", declared);
	*ret = inflate_at_once(x, declared);
	if (*ret)
		return 0;
	r = feed_init(&f, x, declared, e);
	if (r < 0)
		return r;
	r = inflate_growing(&f, &span, e);
	feed_finish(&f);
	if (r == 0)
		*ret = TAKE(span);
	return r;
}

int inflate_prefix(const struct extent *x, uint64_t declared, void *dst, size_t n, size_t *ret_got,
	struct error *e)
{
	struct feed f;
	int r;

	if (n > declared)
		n = (size_t)declared;
	r = feed_init(&f, x, declared, e);
	if (r < 0)
		return r;
	r = n ? feed_pull(&f, dst, n, e) : 0;
	if (r == 0 && n == declared)
		r = feed_expect_end(&f, e);
	feed_finish(&f);
	if (r == 0)
		*ret_got = n;
	return r;
}

int inflate_each(
	const struct extent *x, uint64_t declared, codec_chunk_fn fn, void *arg, struct error *e)
{
	struct feed f;
	int r = feed_init(&f, x, declared, e);

	if (r < 0)
		return r;
	r = feed_each(&f, fn, arg, e);
	feed_finish(&f);
	return r;
}

int inflate_length(const struct extent *x, uint64_t *ret, struct error *e)
{
	struct feed f;
	int r = feed_init(&f, x, 0, e);

	if (r < 0)
		return r;
	r = feed_expect_end(&f, e);
	feed_finish(&f);
	if (!f.is_ended)
		return r;
	error_clear(e);
	*ret = f.out;
	return 0;
}

int extent_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	return extent_read(arg, off, dst, n, e);
}
