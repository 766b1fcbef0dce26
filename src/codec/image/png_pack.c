/* SPDX-License-Identifier: Zlib */
#include "codec/image/png_pack.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/threads/parallel.h"
#include "codec/image/png_rows.h"
#include "codec/zlib/checksum.h"

/* The blob remembers the length, by key_of. */
#define KEY_PNG ((uint64_t)1 << 61)

enum {
	HEAD = PNG_HEAD + 2, /* before the bands, with the zlib header */
	TAIL = 4 + PNG_TAIL,
	SUM = 4,   /* a band in memory begins with the Adler-32 of its rows */
	FLUSH = 64 /* more than a flush adds */
};

static const uint8_t zlib_header[2] = {0x78, 0x9c};

/* The places of the bands in the file, and the file's checksums. */
struct layout {
	struct bytes counted; /* must be first */
	uint64_t key;
	uint32_t adler, crc;
	size_t n;
	uint64_t ends[]; /* of each band, from the begin of the first */
};

struct packing {
	struct png_rows rows;
	struct blob *blob;
	uint64_t key;
	size_t n; /* bands */
};

/* 4 * width * height is below 2^31, so the width ends below KEY_PNG. */
static uint64_t key_of(uint32_t width, uint32_t height)
{
	return KEY_PNG | (uint64_t)width << 32 | height;
}

static int begin_deflate(
	struct packing *p, struct blob *b, uint32_t width, uint32_t height, struct error *e)
{
	int r = png_rows_measure(width, height, &p->rows);

	if (r < 0)
		return error_set(e, r, "cannot write an image of %" PRIu32 "x%" PRIu32 " as PNG",
			width, height);
	p->rows.pixels = blob_read_fn;
	p->rows.arg = b;
	p->blob = b;
	p->key = key_of(width, height);
	p->n = (size_t)((p->rows.raw + PNG_BAND - 1) / PNG_BAND);
	return 0;
}

/* A range of the rows that is compressed alone. */
struct band {
	const struct packing *p;
	size_t i;
};

static size_t band_length(const struct band *b)
{
	uint64_t left = b->p->rows.raw - (uint64_t)b->i * PNG_BAND;

	return left < PNG_BAND ? (size_t)left : PNG_BAND;
}

static int deflate_band(z_stream *z, const struct band *b, uint8_t *raw, size_t n,
	struct bytes **ret, struct error *e)
{
	size_t room = SUM + deflateBound(z, n) + FLUSH;
	bool last = b->i + 1 == b->p->n;
	CLEANUP(bytes_unref) struct bytes *made = NULL, *cut = NULL;
	uint8_t *dst;
	int r;

	made = bytes_resize(NULL, room, &dst);
	if (!made)
		return error_set(e, -ENOMEM, "out of memory");
	png_put_u32(dst, checksum_adler32(ADLER32_START, raw, n));
	z->next_in = raw;
	z->avail_in = (uInt)n;
	z->next_out = dst + SUM;
	z->avail_out = (uInt)(room - SUM);
	r = deflate(z, last ? Z_FINISH : Z_FULL_FLUSH);
	if (r != (last ? Z_STREAM_END : Z_OK) || z->avail_in || !z->avail_out)
		return error_set(e, -EIO, "zlib cannot compress");
	cut = bytes_resize(made, room - z->avail_out, &dst);
	if (!cut)
		return error_set(e, -ENOMEM, "out of memory");
	made = NULL;
	*ret = TAKE(cut);
	return 0;
}

/* Compress a band; a budget_load_fn. */
static int make_band(void *arg, struct bytes **ret, struct error *e)
{
	const struct band *b = arg;
	size_t n = band_length(b);
	CLEANUP(free) uint8_t *raw = malloc(n);
	z_stream z = {0};
	int r;

	if (!raw || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
			    Z_DEFAULT_STRATEGY) != Z_OK)
		return error_set(e, -ENOMEM, "out of memory");
	r = png_rows_read(&b->p->rows, (uint64_t)b->i * PNG_BAND, raw, n, e);
	if (r == 0)
		r = deflate_band(&z, b, raw, n, ret, e);
	deflateEnd(&z);
	return r;
}

static int get_band(const struct packing *p, size_t i, struct bytes **ret, struct error *e)
{
	struct band b = {p, i};

	return blob_derive_part(p->blob, p->key, p->n, i, make_band, &b, ret, e);
}

/* Sizes and checksums of all bands, from which the layout is assembled. */
struct measuring {
	const struct packing *p;
	struct {
		uint32_t adler, crc;
		uint64_t size;
	} * bands;
};

static uint32_t get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int measure_band(void *arg, size_t i, struct error *e)
{
	const struct measuring *m = arg;
	CLEANUP(bytes_unref) struct bytes *made = NULL;
	int r = get_band(m->p, i, &made, e);

	if (r < 0)
		return r;
	m->bands[i].adler = get_u32(made->data);
	m->bands[i].size = made->size - SUM;
	m->bands[i].crc = checksum_crc32(CRC32_START, made->data + SUM, made->size - SUM);
	return 0;
}

static uint64_t layout_body(const struct layout *l)
{
	return l->ends[l->n - 1];
}

static void assemble_file(const struct measuring *m, struct layout *l)
{
	uint8_t sum[4];
	uint64_t at = 0;

	l->adler = ADLER32_START;
	l->crc = checksum_crc32(CRC32_START, "IDAT", 4);
	l->crc = checksum_crc32(l->crc, zlib_header, sizeof(zlib_header));
	for (size_t i = 0; i < l->n; i++) {
		struct band b = {m->p, i};

		l->adler = (uint32_t)adler32_combine(
			l->adler, m->bands[i].adler, (z_off_t)band_length(&b));
		l->crc =
			(uint32_t)crc32_combine(l->crc, m->bands[i].crc, (z_off_t)m->bands[i].size);
		at += m->bands[i].size;
		l->ends[i] = at;
	}
	png_put_u32(sum, l->adler);
	l->crc = checksum_crc32(l->crc, sum, sizeof(sum));
}

static void layout_free(struct bytes *b)
{
	free(b);
}

/* Compress all bands for their sizes and checksums; a budget_load_fn. */
static int make_layout(void *arg, struct bytes **ret, struct error *e)
{
	const struct packing *p = arg;
	struct measuring m = {.p = p};
	size_t size = sizeof(struct layout) + p->n * sizeof(uint64_t);
	CLEANUP(free) struct layout *l = calloc(1, size);
	int r;

	m.bands = calloc(p->n, sizeof(*m.bands));
	if (!l || !m.bands)
		r = error_set(e, -ENOMEM, "out of memory");
	else
		r = parallel_each(p->n, measure_band, &m, e);
	if (r == 0) {
		bytes_init(&l->counted, size, layout_free);
		l->counted.data = (const uint8_t *)&l->key;
		l->key = p->key;
		l->n = p->n;
		assemble_file(&m, l);
	}
	free(m.bands);
	if (r == 0 && sizeof(zlib_header) + layout_body(l) + 4 > INT32_MAX)
		r = error_set(e, -EFBIG, "the image is too large for one chunk of a PNG");
	if (r == 0)
		*ret = &TAKE(l)->counted;
	return r;
}

bool png_packed_known(struct blob *b, uint32_t width, uint32_t height, uint64_t *ret_size)
{
	*ret_size = 0;
	return blob_recall(b, key_of(width, height), ret_size) || blob_is_damaged(b);
}

static int get_layout(struct packing *p, struct bytes **ret, struct error *e)
{
	int r;

	if (blob_is_damaged(p->blob))
		return error_set(e, -EIO, "the pixels are damaged");
	r = blob_derive(p->blob, p->key, make_layout, p, ret, e);
	if (r == -EIO)
		(void)blob_check(p->blob, NULL); /* remember that it is damaged */
	return r;
}

int png_packed_size(
	struct blob *b, uint32_t width, uint32_t height, uint64_t *ret_size, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *found = NULL;
	struct packing p;
	uint64_t size;
	int r = begin_deflate(&p, b, width, height, e);

	if (r == 0 && png_packed_known(b, width, height, &size) && size) {
		*ret_size = size;
		return 0;
	}
	if (r == 0)
		r = get_layout(&p, &found, e);
	if (r < 0)
		return r;
	*ret_size = HEAD + layout_body((const struct layout *)found) + TAIL;
	blob_remember(b, p.key, *ret_size);
	return 0;
}

static int read_bands(const struct packing *p, const struct layout *l, uint64_t *off, uint8_t **dst,
	size_t *n, struct error *e)
{
	for (size_t i = array_bisect(k, l->n, l->ends[k] > *off - HEAD); *n && i < l->n; i++) {
		CLEANUP(bytes_unref) struct bytes *band = NULL;
		uint64_t from = i ? l->ends[i - 1] : 0, size = l->ends[i] - from;
		int r = get_band(p, i, &band, e);

		if (r < 0)
			return r;
		if (band->size - SUM != size)
			return error_set(e, -EIO, "zlib compressed the same data differently");
		png_copy_part(HEAD + from, band->data + SUM, (size_t)size, off, dst, n);
	}
	return 0;
}

static int read_file(const struct packing *p, const struct layout *l, uint64_t off, uint8_t *dst,
	size_t n, struct error *e)
{
	uint64_t body = layout_body(l);
	uint8_t head[HEAD], tail[TAIL];

	if (n && off < HEAD) {
		png_rows_head(&p->rows, (uint32_t)(sizeof(zlib_header) + body + 4), head);
		memcpy(head + PNG_HEAD, zlib_header, sizeof(zlib_header));
		png_copy_part(0, head, HEAD, &off, &dst, &n);
	}
	if (n && off < HEAD + body) {
		int r = read_bands(p, l, &off, &dst, &n, e);

		if (r < 0)
			return r;
	}
	if (n) {
		png_put_u32(tail, l->adler);
		png_rows_tail(l->crc, tail + 4);
		png_copy_part(HEAD + body, tail, TAIL, &off, &dst, &n);
	}
	return 0;
}

int png_packed_read(struct blob *b, uint32_t width, uint32_t height, uint64_t off, void *dst,
	size_t n, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *found = NULL;
	struct packing p;
	uint64_t size;
	int r = begin_deflate(&p, b, width, height, e);

	if (r == 0)
		r = get_layout(&p, &found, e);
	if (r < 0)
		return r;
	size = HEAD + layout_body((const struct layout *)found) + TAIL;
	if (off > size || n > size - off)
		return error_set(e, -EINVAL,
			"%zu bytes at %" PRIu64 " are past the end (size %" PRIu64 ")", n, off,
			size);
	return read_file(&p, (const struct layout *)found, off, dst, n, e);
}
