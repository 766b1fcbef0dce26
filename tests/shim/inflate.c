/* SPDX-License-Identifier: Zlib */
/*
 * Preloaded, this library records every stream that the program inflates, with zlib or libdeflate:
 * the number of decoded bytes and their Adler-32, in the table named by MAPFS_SHIM_INFLATE.
 * shims.py of tests/mount reads it.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <zlib.h>

#include "support/shared.h"

enum { ROWS = 65536 };

struct row {
	uint64_t out;
	uint32_t adler;
	uint32_t ended;
};

struct table {
	atomic_uint n;
	uint32_t pad;
	atomic_uint_fast64_t bytes; /* decoded bytes of all streams */
	struct row rows[ROWS];
};

static struct table *table;
static _Thread_local int inside; /* uncompress() calls inflate() itself */

__attribute__((constructor)) static void load(void)
{
	table = shared_map("MAPFS_SHIM_INFLATE", sizeof(struct table));
}

static void record_stream(uint64_t out, uint32_t adler, int ended)
{
	unsigned i;

	if (!table || inside || !out)
		return;
	i = atomic_fetch_add(&table->n, 1);
	if (i < ROWS)
		table->rows[i] = (struct row){out, adler, (uint32_t)ended};
}

static void count_output(uint64_t n)
{
	if (table && !inside)
		atomic_fetch_add(&table->bytes, n);
}

int inflate(z_streamp s, int flush)
{
	uLong before = s->total_out;
	int r = NEXT(inflate)(s, flush);

	count_output(s->total_out - before);
	if (r == Z_STREAM_END)
		record_stream(s->total_out, (uint32_t)s->adler, 1);
	return r;
}

/* A stream that is dropped in the middle counts with its decoded bytes. */
static void record_dropped_stream(z_streamp s)
{
	if (s && s->state && s->msg == NULL && s->total_out)
		record_stream(s->total_out, 0, 0);
}

int inflateEnd(z_streamp s)
{
	record_dropped_stream(s);
	return NEXT(inflateEnd)(s);
}

int inflateReset(z_streamp s)
{
	record_dropped_stream(s);
	return NEXT(inflateReset)(s);
}

int uncompress2(Bytef *dst, uLongf *dst_n, const Bytef *src, uLong *src_n)
{
	int r;

	inside++;
	r = NEXT(uncompress2)(dst, dst_n, src, src_n);
	inside--;
	if (r == Z_OK)
		count_output(*dst_n);
	if (r == Z_OK)
		record_stream(*dst_n, (uint32_t)adler32(adler32(0, NULL, 0), dst, (uInt)*dst_n), 1);
	return r;
}

int uncompress(Bytef *dst, uLongf *dst_n, const Bytef *src, uLong src_n)
{
	return uncompress2(dst, dst_n, src, &src_n);
}

/* Whole streams use this function if mapfs was built with libdeflate. */
int libdeflate_zlib_decompress_ex(void *d, const void *src, size_t src_n, void *dst, size_t dst_n,
	size_t *ret_used, size_t *ret_got);

int libdeflate_zlib_decompress_ex(void *d, const void *src, size_t src_n, void *dst, size_t dst_n,
	size_t *ret_used, size_t *ret_got)
{
	int r = NEXT(libdeflate_zlib_decompress_ex)(d, src, src_n, dst, dst_n, ret_used, ret_got);

	if (r == 0) {
		count_output(*ret_got);
		record_stream(
			*ret_got, (uint32_t)adler32(adler32(0, NULL, 0), dst, (uInt)*ret_got), 1);
	}
	return r;
}
