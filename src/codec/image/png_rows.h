/* SPDX-License-Identifier: Zlib */
/* png_rows: what the two forms of our PNG files have in common: rows of 8-bit RGBA, each with a
 * filter byte of 0, in one IDAT. For png_encode.c and png_pack.c. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "codec/zlib/inflate.h"

enum {
	PNG_HEAD = 41, /* signature, IHDR, and the begin of the IDAT */
	PNG_TAIL = 16, /* the CRC-32 of the IDAT, and IEND */
};

struct png_rows {
	uint32_t width, height;
	uint64_t row; /* bytes of a row, with its filter byte */
	uint64_t raw; /* bytes of all rows */
	codec_read_fn pixels;
	void *arg;
};

/* Fills all but pixels and arg. -EINVAL where a side is 0 or over 2^31 - 1, -EFBIG where the rows
 * have more bytes than that. */
int png_rows_measure(uint32_t width, uint32_t height, struct png_rows *ret);
/* Bytes [raw, raw + n) of the rows. */
int png_rows_read(const struct png_rows *im, uint64_t raw, uint8_t *dst, size_t n, struct error *e);

void png_rows_head(const struct png_rows *im, uint32_t idat, uint8_t p[PNG_HEAD]);
void png_rows_tail(uint32_t crc, uint8_t p[PNG_TAIL]);

void png_put_u32(uint8_t *p, uint32_t v);
/* Copies what [*off, *off + *n) and the part of size bytes at `at` have in common. */
void png_copy_part(
	uint64_t at, const uint8_t *part, size_t size, uint64_t *off, uint8_t **dst, size_t *n);
