/* SPDX-License-Identifier: Zlib */
/* png_rows: the common part of canonical and compressed PNG files: rows of 8-bit RGBA, each with a
 * filter byte of 0, in one IDAT. png_rows_measure sets up an image; its file is png_rows_head, the
 * compressed rows, png_rows_tail. For png_encode.c and png_pack.c. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "codec/zlib/inflate.h"

enum {
	PNG_HEAD = 41, /* signature, IHDR, and the length and type of the IDAT */
	PNG_TAIL = 16, /* the CRC-32 of the IDAT, and IEND */
};

struct png_rows {
	uint32_t width, height;
	uint64_t row;         /* bytes of a row, with its filter byte */
	uint64_t raw;         /* bytes of all rows */
	codec_read_fn pixels; /* reads RGBA; its offsets do not count filter bytes */
	void *arg;
};

/* Set all members but pixels and arg, also with -EFBIG: the rows have more than 2^31 - 1 bytes.
 * -EINVAL: a side is 0 or above 2^31 - 1. */
int png_rows_measure(uint32_t width, uint32_t height, struct png_rows *ret);
/* Read existing bytes [raw, raw + n) of the rows and filter bytes. Calls pixels at most once. */
int png_rows_read(const struct png_rows *im, uint64_t raw, uint8_t *dst, size_t n, struct error *e);

/* Write head and tail of a file. idat: size of the IDAT data. crc: CRC-32 of its type and data. */
void png_rows_head(const struct png_rows *im, uint32_t idat, uint8_t p[PNG_HEAD]);
void png_rows_tail(uint32_t crc, uint8_t p[PNG_TAIL]);

void png_put_u32(uint8_t *p, uint32_t v); /* big-endian */
/* Copy the bytes of [*off, *off + *n) that are in a part of a file to *dst. Advance *off and *dst
 * past them, and reduce *n. The part has size bytes at `at`, and *off is within it. */
void png_copy_part(
	uint64_t at, const uint8_t *part, size_t size, uint64_t *off, uint8_t **dst, size_t *n);
