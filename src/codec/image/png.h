/* SPDX-License-Identifier: Zlib */
/*
 * png: images of 8-bit RGBA pixels as PNG files of a canonical form, and any PNG file as pixels.
 *
 * The canonical form has a size that follows from width and height: IHDR (8-bit RGBA, not
 * interlaced), one IDAT, IEND; in the IDAT a zlib header 78 01 and stored deflate blocks of 65535
 * bytes but the last, over rows of filter 0. With n = h * (4w + 1) that is 63 + n + 5 * ceil(n /
 * 65535) bytes. (PNG: W3C PNG Specification; zlib: RFC 1950; stored blocks: RFC 1951, 3.2.4.)
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/disk/file.h"
#include "base/error.h"
#include "codec/zlib/inflate.h"

/*
 * What is known of the checksums at the end of a canonical file: they cover its image data up to
 * `done`, which grows as the file is read in order. Thread-safe.
 */
struct png_memo {
	pthread_mutex_t lock;
	uint32_t width, height; /* 0: nothing is known */
	uint64_t done;
	uint32_t adler, crc;
};

#define PNG_MEMO_INIT                                                                              \
	{                                                                                          \
		.lock = PTHREAD_MUTEX_INITIALIZER                                                  \
	}

/* -EFBIG where the pixels do not fit one IDAT chunk (2^31 - 1 bytes), -EINVAL where a side is 0 or
 * over 2^31 - 1; *ret_size is then untouched. */
int png_file_size(uint32_t width, uint32_t height, uint64_t *ret_size);

/*
 * Bytes [off, off + n) of the canonical file; past its end is -EINVAL. pixels gives bytes of the
 * w * h * 4 of RGBA, rows from the top, and is asked for what the range shows only; but a range
 * that touches the checksums asks, in order, for all pixels that memo has not seen, and remembers
 * the result there. memo may be NULL, and must be another one whenever the pixels are.
 */
int png_file_read(uint32_t width, uint32_t height, codec_read_fn pixels, void *arg,
	struct png_memo *memo, uint64_t off, void *dst, size_t n, struct error *e);

/*
 * Where png_decode puts what it reads. A negative errno from either stops the decoding and is
 * returned. rgba is valid during the call.
 */
struct png_sink {
	int (*begin)(void *arg, uint32_t width, uint32_t height, struct error *e); /* may be NULL */
	int (*row)(
		void *arg, uint32_t y, const uint8_t *rgba, struct error *e); /* y = 0, 1, 2 ... */
	void *arg;
};

/* The most bytes of pixels that an image of a map can hold. */
#define PNG_PIXELS_MAX ((uint64_t)INT32_MAX)

/*
 * Any PNG that libpng reads, as 8-bit RGBA: palettes looked up, gray repeated, 16 bits scaled to 8,
 * tRNS turned to alpha, alpha 255 where there is none; the colours of transparent pixels stay as
 * they are, and no gamma or colour profile is applied. Row by row, so memory is a few rows; an
 * interlaced one is held whole. What follows the end of the PNG is ignored.
 *
 * -EINVAL: "not a PNG", "is a JPEG image, not a PNG", "PNG is damaged: <libpng's reason>", or more
 * than PNG_PIXELS_MAX. Rows may have been given out before that is known.
 */
int png_decode(const struct extent *x, const struct png_sink *sink, struct error *e);

/*
 * The same for who asks for each row, so that several can be read side by side. read gives bytes of
 * a file of that size; it is asked for them in order. *ret is to be closed, also after a row
 * failed.
 */
struct png_reader;
int png_reader_open(codec_read_fn read, void *arg, uint64_t size, struct png_reader **ret,
	uint32_t *ret_width, uint32_t *ret_height, struct error *e);
void png_reader_close(struct png_reader *d); /* NULL is fine */
DEFINE_CLEANUP(struct png_reader, png_reader_close);
/* The next one, of which there must be one; good until the next call. */
int png_reader_row(struct png_reader *d, const uint8_t **ret_rgba, struct error *e);
