/* SPDX-License-Identifier: Zlib */
#include "codec/zlib/feed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Limit for counting bytes past the declared size, so that a zip bomb costs little time. */
enum { COUNT_ON = 64 << 20 };

static atomic_uint_fast64_t total;

void feed_count(size_t n)
{
	atomic_fetch_add_explicit(&total, n, memory_order_relaxed);
}

uint64_t inflate_total(void)
{
	return atomic_load_explicit(&total, memory_order_relaxed);
}

int feed_init(struct feed *f, const struct extent *x, uint64_t declared, struct error *e)
{
	memset(&f->z, 0, sizeof(f->z));
	f->x = x;
	f->declared = declared;
	f->in = 0;
	f->out = 0;
	/* Some maps store an empty blob as no bytes at all. */
	f->is_ended = x->size == 0 && declared == 0;
	if (inflateInit(&f->z) != Z_OK)
		return error_set(e, -ENOMEM, "out of memory");
	return 0;
}

int feed_resume(struct feed *f, const struct extent *x, uint64_t declared, const z_stream *z,
	uint64_t in, uint64_t out, struct error *e)
{
	f->x = x;
	f->declared = declared;
	f->in = in;
	f->out = out;
	f->is_ended = false;
	/* inflateCopy only reads its source, which is not const in the prototype. */
	if (inflateCopy(&f->z, (z_stream *)(uintptr_t)z) != Z_OK)
		return error_set(e, -ENOMEM, "out of memory");
	f->z.next_in = f->input;
	f->z.avail_in = 0;
	return 0;
}

void feed_finish(struct feed *f)
{
	inflateEnd(&f->z);
}

static int feed_fill(struct feed *f, struct error *e)
{
	uint64_t left = f->x->size - f->in;
	size_t n = left < FEED_INPUT ? (size_t)left : FEED_INPUT;
	int r;

	if (!n)
		return error_set(e, -EIO,
			"the zlib stream is truncated after %" PRIu64 " bytes (declared %" PRIu64
			")",
			f->out, f->declared);
	r = extent_read(f->x, f->in, f->input, n, e);
	if (r < 0)
		return r;
	f->in += n;
	f->z.next_in = f->input;
	f->z.avail_in = (uInt)n;
	return 0;
}

/* Call inflate once. *ret_n: the number of inflated bytes, which may be 0. */
static int feed_step(struct feed *f, uint8_t *dst, size_t n, size_t *ret_n, struct error *e)
{
	const char *why;
	uInt room = n < 1u << 30 ? (uInt)n : 1u << 30;
	int r;

	if (!f->z.avail_in) {
		r = feed_fill(f, e);
		if (r < 0)
			return r;
	}
	f->z.next_out = dst;
	f->z.avail_out = room;
	r = inflate(&f->z, Z_NO_FLUSH);
	*ret_n = room - f->z.avail_out;
	f->out += *ret_n;
	feed_count(*ret_n);
	if (r == Z_STREAM_END)
		f->is_ended = true;
	/* Z_BUF_ERROR means only that more input is needed. */
	if (r == Z_OK || r == Z_STREAM_END || (r == Z_BUF_ERROR && !f->z.avail_in))
		return 0;
	if (r == Z_MEM_ERROR)
		return error_set(e, -ENOMEM, "out of memory");
	why = r == Z_NEED_DICT ? "it needs a dictionary" : f->z.msg;
	return error_set(e, -EIO,
		"the zlib stream is damaged after %" PRIu64 " of %" PRIu64 " bytes: %s", f->out,
		f->declared, why ? why : zError(r));
}

int feed_pull(struct feed *f, uint8_t *dst, size_t n, struct error *e)
{
	while (n) {
		size_t got;
		int r;

		if (f->is_ended)
			return error_set(e, -EIO,
				"the zlib stream holds %" PRIu64 " bytes (declared %" PRIu64 ")",
				f->out, f->declared);
		r = feed_step(f, dst, n, &got, e);
		if (r < 0)
			return r;
		dst += got;
		n -= got;
	}
	return 0;
}

int feed_expect_end(struct feed *f, struct error *e)
{
	uint8_t waste[4096];
	size_t got;
	int r;

	while (!f->is_ended && f->out <= f->declared + COUNT_ON) {
		r = feed_step(f, waste, f->out > f->declared ? sizeof(waste) : 1, &got, e);
		if (r < 0)
			return r;
	}
	if (f->out == f->declared)
		return 0;
	return error_set(e, -EIO,
		"the zlib stream holds %s%" PRIu64 " bytes (declared %" PRIu64 ")",
		f->is_ended ? "" : "more than ", f->out, f->declared);
}

int feed_each(struct feed *f, codec_chunk_fn fn, void *arg, struct error *e)
{
	CLEANUP(free) uint8_t *chunk = malloc(FEED_CHUNK);

	if (!chunk)
		return error_set(e, -ENOMEM, "out of memory");
	while (f->out < f->declared) {
		uint64_t left = f->declared - f->out;
		size_t n = left < FEED_CHUNK ? (size_t)left : FEED_CHUNK;
		int r = feed_pull(f, chunk, n, e);

		if (r == 0)
			r = fn(arg, chunk, n, e);
		if (r < 0)
			return r;
	}
	return feed_expect_end(f, e);
}
