/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <libdeflate.h>
#include <stdatomic.h>
#include <zlib.h>

#include "base/disk/spool.h"
#include "codec/zlib/inflate.h"

enum { INPUT = 256 << 10, OUTPUT = 64 << 10 };

struct squeeze {
	z_stream z;
	struct spool *spool;
	uint8_t output[OUTPUT];
	uint8_t input[INPUT];
};

/* All of z's input; the compressed bytes do not depend on how the input was divided. */
static int squeeze_some(struct squeeze *s, int flush, struct error *e)
{
	do {
		int r;

		s->z.next_out = s->output;
		s->z.avail_out = OUTPUT;
		/* Z_BUF_ERROR means that there was nothing left to do; others cannot happen. */
		if (deflate(&s->z, flush) == Z_STREAM_ERROR)
			return error_set(e, -EIO, "zlib cannot compress");
		r = spool_append(s->spool, s->output, OUTPUT - s->z.avail_out, e);
		if (r < 0)
			return r;
	} while (!s->z.avail_out);
	return 0;
}

static int squeeze_all(
	struct squeeze *s, codec_read_fn read, void *arg, uint64_t size, struct error *e)
{
	uint64_t off = 0;
	int r;

	do {
		size_t n = size - off < INPUT ? (size_t)(size - off) : INPUT;

		r = n ? read(arg, off, s->input, n, e) : 0;
		if (r < 0)
			return r;
		off += n;
		s->z.next_in = s->input;
		s->z.avail_in = (uInt)n;
		r = squeeze_some(s, off == size ? Z_FINISH : Z_NO_FLUSH, e);
		if (r < 0)
			return r;
	} while (off < size);
	return 0;
}

static atomic_ullong total;

uint64_t deflate_total(void)
{
	return atomic_load(&total);
}

int deflate_from(codec_read_fn read, void *arg, uint64_t size, int spool_dirfd, struct extent *ret,
	struct error *e)
{
	CLEANUP(spool_destroy) struct spool *spool = spool_create(spool_dirfd);
	CLEANUP(free) struct squeeze *s = malloc(sizeof(*s));
	int r;

	if (!spool || !s)
		return error_set(e, -ENOMEM, "no memory to compress");
	atomic_fetch_add(&total, 1);
	s->spool = spool;
	s->z = (z_stream){0};
	if (deflateInit(&s->z, Z_DEFAULT_COMPRESSION) != Z_OK)
		return error_set(e, -ENOMEM, "no memory to compress");
	r = squeeze_all(s, read, arg, size, e);
	deflateEnd(&s->z);
	return r < 0 ? r : spool_extent(spool, ret, e);
}

int deflate_all(const struct extent *x, int spool_dirfd, struct extent *ret, struct error *e)
{
	struct extent mine = *x; /* read only, so borrowed */

	return deflate_from(extent_read_fn, &mine, x->size, spool_dirfd, ret, e);
}

DEFINE_CLEANUP(struct libdeflate_compressor, libdeflate_free_compressor);

enum { BEST = 12 };

struct bytes *deflate_best(const struct bytes *plain)
{
	CLEANUP(libdeflate_free_compressor)
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(BEST);
	size_t room = c ? libdeflate_zlib_compress_bound(c, plain->size) : 0;
	uint8_t *data;
	CLEANUP(bytes_unref) struct bytes *b = room ? bytes_new(room, &data) : NULL;
	size_t n = b ? libdeflate_zlib_compress(c, plain->data, plain->size, data, room) : 0;

	return n ? bytes_copy(b->data, n) : NULL;
}
