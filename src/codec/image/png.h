/* SPDX-License-Identifier: Zlib */
/*
 * png: write images of 8-bit RGBA pixels as canonical PNG files, and decode any PNG file.
 *
 * The size of a canonical file follows from width and height. It has IHDR (8-bit RGBA, not
 * interlaced), one IDAT and IEND. The IDAT has a zlib header 78 01 and stored deflate blocks of
 * 65535 bytes, the last shorter, with rows of filter 0. With n = h * (4w + 1) the size is 63 + n +
 * 5 * ceil(n / 65535) bytes. (PNG: W3C PNG Specification; zlib: RFC 1950; stored blocks: RFC 1951,
 * 3.2.4.)
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
 * The checksums up to byte `done` of the stored blocks of a canonical file (with the heads of the
 * blocks). They grow as the file is read in order. Thread-safe.
 */
struct png_memo {
	pthread_mutex_t lock;
	uint32_t width, height; /* 0: empty */
	uint64_t done;
	uint32_t adler, crc;
};

#define PNG_MEMO_INIT                                                                              \
	{                                                                                          \
		.lock = PTHREAD_MUTEX_INITIALIZER                                                  \
	}

/* Size of a canonical file. -EFBIG: the pixels do not fit one IDAT chunk (2^31 - 1 bytes). -EINVAL:
 * a side is 0 or above 2^31 - 1. */
int png_file_size(uint32_t width, uint32_t height, uint64_t *ret_size);

/*
 * Read bytes [off, off + n) of the canonical file; -EINVAL past it. pixels(arg, off, dst, n, e)
 * reads exactly n bytes at off of the w * h * 4 bytes of RGBA, rows from the top. It is called for
 * the pixels in the range; and if the range touches the checksums, in order for all pixels that
 * memo does not cover. memo may be NULL; use a separate memo for each image.
 */
int png_file_read(uint32_t width, uint32_t height, codec_read_fn pixels, void *arg,
	struct png_memo *memo, uint64_t off, void *dst, size_t n, struct error *e);

/*
 * Receives an image from png_decode. A negative errno from either function stops png_decode, which
 * returns it. rgba is valid during the call.
 */
struct png_sink {
	int (*begin)(void *arg, uint32_t width, uint32_t height, struct error *e); /* may be NULL */
	int (*row)(void *arg, uint32_t y, const uint8_t *rgba, struct error *e); /* y: 0, 1, ... */
	void *arg;
};

/* Maximum size of the pixels of an image in a map, in bytes. */
#define PNG_PIXELS_MAX ((uint64_t)INT32_MAX)

/*
 * Decode any PNG that libpng reads to 8-bit RGBA. Palettes are resolved, gray is repeated, 16 bits
 * are scaled to 8, and tRNS becomes alpha; images without alpha get 255. Colors of transparent
 * pixels are kept, and gamma and color profiles are ignored. Memory is a few rows; an interlaced
 * image is kept whole. Bytes after the end of the PNG are ignored.
 *
 * -EINVAL: "not a PNG", "is a JPEG image, not a PNG", "PNG is damaged: <libpng's reason>", or more
 * than PNG_PIXELS_MAX. The sink may have received rows before.
 */
int png_decode(const struct extent *x, const struct png_sink *sink, struct error *e);

/*
 * Decode a PNG row by row, so that a caller can read several images in parallel. read, which is as
 * `pixels` above, is called for the bytes of the file, in order, here and in png_reader_row. size
 * is the file's size. The caller closes *ret, also after a row failed. Errors as png_decode, and
 * those of read.
 */
struct png_reader;
int png_reader_open(codec_read_fn read, void *arg, uint64_t size, struct png_reader **ret,
	uint32_t *ret_width, uint32_t *ret_height, struct error *e);
void png_reader_close(struct png_reader *d);
DEFINE_CLEANUP(struct png_reader, png_reader_close);
/* Decode the next row. *ret_rgba is valid until the next call. Do not call it after the last row or
 * a failure. Errors as png_reader_open. */
int png_reader_row(struct png_reader *d, const uint8_t **ret_rgba, struct error *e);
