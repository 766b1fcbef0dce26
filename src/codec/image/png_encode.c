/* SPDX-License-Identifier: Zlib */
#include "codec/image/png.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "codec/image/png_rows.h"
#include "codec/zlib/checksum.h"

enum {
	HEAD = PNG_HEAD +
	       2, /* up to the zlib header; then the body of stored blocks, then the tail */
	TAIL = 4 + PNG_TAIL,
	BLOCK = 65535,
	BLOCK_HEAD = 5,
	CHUNK = 64 << 10,
};

struct image {
	struct png_rows rows;
	uint64_t body;
};

/* The checksums of the body's first `done` bytes. */
struct sums {
	uint64_t done;
	uint32_t adler, crc;
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int measure_file(uint32_t width, uint32_t height, struct image *ret)
{
	int r = png_rows_measure(width, height, &ret->rows);

	if (r < 0)
		return r;
	ret->body = ret->rows.raw + (ret->rows.raw + BLOCK - 1) / BLOCK * BLOCK_HEAD;
	/* The chunk also contains a zlib header and an Adler-32. */
	return 2 + ret->body + 4 > INT32_MAX ? -EFBIG : 0;
}

int png_file_size(uint32_t width, uint32_t height, uint64_t *ret_size)
{
	struct image im;
	int r = measure_file(width, height, &im);

	if (r == 0)
		*ret_size = HEAD + im.body + TAIL;
	return r;
}

static void make_head(const struct image *im, uint8_t p[HEAD])
{
	png_rows_head(&im->rows, (uint32_t)(2 + im->body + 4), p);
	p[PNG_HEAD] = 0x78;
	p[PNG_HEAD + 1] = 0x01;
}

static void make_block_head(const struct image *im, uint64_t block, uint8_t p[BLOCK_HEAD])
{
	uint64_t left = im->rows.raw - block * BLOCK;
	uint16_t n = (uint16_t)min_u64(left, BLOCK);

	p[0] = left <= BLOCK; /* the flag of the last block; type 0: stored */
	p[1] = (uint8_t)n;
	p[2] = (uint8_t)(n >> 8);
	p[3] = (uint8_t)~p[1];
	p[4] = (uint8_t)~p[2];
}

static int read_body(const struct image *im, uint64_t off, uint8_t *dst, size_t n, struct error *e)
{
	while (n) {
		uint64_t block = off / (BLOCK_HEAD + BLOCK);
		uint64_t at = off % (BLOCK_HEAD + BLOCK);
		size_t part;

		if (at < BLOCK_HEAD) {
			uint8_t head[BLOCK_HEAD];

			part = (size_t)min_u64(n, BLOCK_HEAD - at);
			make_block_head(im, block, head);
			memcpy(dst, head + at, part);
		} else {
			int r;

			at -= BLOCK_HEAD;
			part = (size_t)min_u64(n, BLOCK - at);
			r = png_rows_read(&im->rows, block * BLOCK + at, dst, part, e);
			if (r < 0)
				return r;
		}
		off += part;
		dst += part;
		n -= part;
	}
	return 0;
}

static struct sums sums_start(void)
{
	static const uint8_t before[] = {'I', 'D', 'A', 'T', 0x78, 0x01};

	return (struct sums){
		.adler = ADLER32_START,
		.crc = checksum_crc32(CRC32_START, before, sizeof(before)),
	};
}

/* Extend the checksums by the next n bytes of the body. */
static void sums_add(struct sums *s, const uint8_t *data, size_t n)
{
	s->crc = checksum_crc32(s->crc, data, n);
	while (n) {
		uint64_t at = s->done % (BLOCK_HEAD + BLOCK);
		bool head = at < BLOCK_HEAD;
		size_t part = (size_t)min_u64(n, head ? BLOCK_HEAD - at : BLOCK_HEAD + BLOCK - at);

		if (!head)
			s->adler = checksum_adler32(s->adler, data, part);
		s->done += part;
		data += part;
		n -= part;
	}
}

static struct sums memo_get(struct png_memo *memo, const struct image *im)
{
	struct sums s = sums_start();

	if (!memo)
		return s;
	pthread_mutex_lock(&memo->lock);
	if (memo->width == im->rows.width && memo->height == im->rows.height)
		s = (struct sums){.done = memo->done, .adler = memo->adler, .crc = memo->crc};
	pthread_mutex_unlock(&memo->lock);
	return s;
}

static void memo_put(struct png_memo *memo, const struct image *im, const struct sums *s)
{
	if (!memo)
		return;
	pthread_mutex_lock(&memo->lock);
	if (memo->width != im->rows.width || memo->height != im->rows.height ||
		memo->done < s->done) {
		memo->width = im->rows.width;
		memo->height = im->rows.height;
		memo->done = s->done;
		memo->adler = s->adler;
		memo->crc = s->crc;
	}
	pthread_mutex_unlock(&memo->lock);
}

/* Extend the memo by bytes of the body that were read from off, as far as they continue it. */
static void memo_follow(
	struct png_memo *memo, const struct image *im, uint64_t off, const uint8_t *data, size_t n)
{
	struct sums s;

	if (!memo)
		return;
	s = memo_get(memo, im);
	if (s.done < off || s.done - off >= n)
		return;
	sums_add(&s, data + (s.done - off), n - (size_t)(s.done - off));
	memo_put(memo, im, &s);
}

static int make_tail(
	const struct image *im, struct png_memo *memo, uint8_t p[TAIL], struct error *e)
{
	CLEANUP(free) uint8_t *chunk = NULL;
	struct sums s = memo_get(memo, im);

	if (s.done < im->body) {
		chunk = malloc(CHUNK);
		if (!chunk)
			return error_set(e, -ENOMEM, "out of memory");
	}
	while (s.done < im->body) {
		size_t n = (size_t)min_u64(im->body - s.done, CHUNK);
		int r = read_body(im, s.done, chunk, n, e);

		if (r < 0)
			return r;
		sums_add(&s, chunk, n);
	}
	memo_put(memo, im, &s);
	png_put_u32(p, s.adler);
	png_rows_tail(checksum_crc32(s.crc, p, 4), p + 4);
	return 0;
}

static int read_file(const struct image *im, struct png_memo *memo, uint64_t off, uint8_t *dst,
	size_t n, struct error *e)
{
	uint8_t head[HEAD], tail[TAIL];
	int r;

	if (n && off < HEAD) {
		make_head(im, head);
		png_copy_part(0, head, HEAD, &off, &dst, &n);
	}
	if (n && off < HEAD + im->body) {
		size_t part = (size_t)min_u64(n, HEAD + im->body - off);

		r = read_body(im, off - HEAD, dst, part, e);
		if (r < 0)
			return r;
		memo_follow(memo, im, off - HEAD, dst, part);
		off += part;
		dst += part;
		n -= part;
	}
	if (n) {
		r = make_tail(im, memo, tail, e);
		if (r < 0)
			return r;
		png_copy_part(HEAD + im->body, tail, TAIL, &off, &dst, &n);
	}
	return 0;
}

int png_file_read(uint32_t width, uint32_t height, codec_read_fn pixels, void *arg,
	struct png_memo *memo, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct image im = {.rows = {.pixels = pixels, .arg = arg}};
	uint64_t size;
	int r = measure_file(width, height, &im);

	if (r < 0)
		return error_set(e, r, "cannot write an image of %" PRIu32 "x%" PRIu32 " as PNG",
			width, height);
	size = HEAD + im.body + TAIL;
	if (off > size || n > size - off)
		return error_set(e, -EINVAL,
			"%zu bytes at %" PRIu64 " are past the end (size %" PRIu64 ")", n, off,
			size);
	return read_file(&im, memo, off, dst, n, e);
}
