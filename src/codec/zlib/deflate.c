/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <limits.h>
#include <libdeflate.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/disk/spool.h"
#include "codec/zlib/inflate.h"

enum { INPUT = 256 << 10, OUTPUT = 64 << 10 };

struct deflater {
	z_stream z;
	bool is_begun; /* z needs deflateEnd */
	struct spool *spool;
	uint8_t output[OUTPUT];
};

static atomic_ullong total;

uint64_t deflate_total(void)
{
	return atomic_load(&total);
}

void deflater_destroy(struct deflater *d)
{
	if (!d)
		return;
	if (d->is_begun)
		deflateEnd(&d->z);
	spool_destroy(d->spool);
	free(d);
}

struct deflater *deflater_create(int spool_dirfd)
{
	struct deflater *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->spool = spool_create(spool_dirfd);
	d->is_begun = d->spool && deflateInit(&d->z, Z_DEFAULT_COMPRESSION) == Z_OK;
	if (!d->is_begun) {
		deflater_destroy(d);
		return NULL;
	}
	atomic_fetch_add(&total, 1);
	return d;
}

/* Compress all of z's input. The result does not depend on how the input is divided. */
static int deflate_input(struct deflater *d, int flush, struct error *e)
{
	do {
		int r;

		d->z.next_out = d->output;
		d->z.avail_out = OUTPUT;
		/* Z_BUF_ERROR: nothing was left to do. Other errors cannot happen. */
		if (deflate(&d->z, flush) == Z_STREAM_ERROR)
			return error_set(e, -EIO, "zlib cannot compress");
		r = spool_append(d->spool, d->output, OUTPUT - d->z.avail_out, e);
		if (r < 0)
			return r;
	} while (!d->z.avail_out);
	return 0;
}

int deflater_append(struct deflater *d, const void *data, size_t n, struct error *e)
{
	const uint8_t *p = data;
	int r = 0;

	while (r == 0 && n) {
		size_t part = n < UINT_MAX ? n : UINT_MAX;

		d->z.next_in = (uint8_t *)(uintptr_t)p;
		d->z.avail_in = (uInt)part;
		r = deflate_input(d, Z_NO_FLUSH, e);
		p += part;
		n -= part;
	}
	return r;
}

int deflater_end(struct deflater *d, struct extent *ret, struct error *e)
{
	int r = deflate_input(d, Z_FINISH, e);

	return r < 0 ? r : spool_extent(d->spool, ret, e);
}

int deflate_from(codec_read_fn read, void *arg, uint64_t size, int spool_dirfd, struct extent *ret,
	struct error *e)
{
	CLEANUP(deflater_destroy) struct deflater *d = deflater_create(spool_dirfd);
	CLEANUP(free) uint8_t *input = malloc(INPUT);
	int r = 0;

	if (!d || !input)
		return error_set(e, -ENOMEM, "out of memory");
	for (uint64_t off = 0; r == 0 && off < size;) {
		size_t n = size - off < INPUT ? (size_t)(size - off) : INPUT;

		r = read(arg, off, input, n, e);
		if (r == 0)
			r = deflater_append(d, input, n, e);
		off += n;
	}
	return r < 0 ? r : deflater_end(d, ret, e);
}

int deflate_all(const struct extent *x, int spool_dirfd, struct extent *ret, struct error *e)
{
	struct extent mine = *x; /* borrowed */

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
