/* SPDX-License-Identifier: Zlib */
#include "codec/image/png_rows.h"

#include <errno.h>
#include <string.h>

#include "codec/zlib/checksum.h"

void png_put_u32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

int png_rows_measure(uint32_t width, uint32_t height, struct png_rows *ret)
{
	if (!width || !height || width > INT32_MAX || height > INT32_MAX)
		return -EINVAL;
	ret->width = width;
	ret->height = height;
	ret->row = 4 * (uint64_t)width + 1;
	ret->raw = ret->row * height; /* below 2^64 for sides below 2^31 */
	return ret->raw > INT32_MAX ? -EFBIG : 0;
}

void png_rows_head(const struct png_rows *im, uint32_t idat, uint8_t p[PNG_HEAD])
{
	static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

	memcpy(p, signature, 8);
	png_put_u32(p + 8, 13);
	memcpy(p + 12, "IHDR", 4);
	png_put_u32(p + 16, im->width);
	png_put_u32(p + 20, im->height);
	p[24] = 8; /* bits per sample */
	p[25] = 6; /* RGBA */
	p[26] = 0; /* deflate */
	p[27] = 0; /* the five filters */
	p[28] = 0; /* not interlaced */
	png_put_u32(p + 29, checksum_crc32(CRC32_START, p + 12, 17));
	png_put_u32(p + 33, idat);
	memcpy(p + 37, "IDAT", 4);
}

void png_rows_tail(uint32_t crc, uint8_t p[PNG_TAIL])
{
	static const uint8_t end[12] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};

	png_put_u32(p, crc);
	memcpy(p + 4, end, sizeof(end));
}

/* Offset of the first byte of pixels at or after an offset in the rows. */
static uint64_t pixel_at(const struct png_rows *im, uint64_t raw)
{
	uint64_t in_row = raw % im->row;

	return raw / im->row * (im->row - 1) + (in_row ? in_row - 1 : 0);
}

/* Reads all pixels in one call, to the end of dst, and then moves them down row by row to make room
 * for the filter bytes. */
int png_rows_read(const struct png_rows *im, uint64_t raw, uint8_t *dst, size_t n, struct error *e)
{
	uint64_t from = pixel_at(im, raw);
	size_t left = (size_t)(pixel_at(im, raw + n) - from);
	uint8_t *pixels = dst + (n - left);
	int r;

	if (left) {
		r = im->pixels(im->arg, from, pixels, left, e);
		if (r < 0)
			return r;
	}
	while (n) {
		uint64_t in_row = raw % im->row, most = in_row ? im->row - in_row : 1;
		size_t part = n < most ? n : (size_t)most;

		if (in_row) {
			memmove(dst, pixels, part);
			pixels += part;
		} else {
			*dst = 0; /* filter: none */
		}
		dst += part;
		raw += part;
		n -= part;
	}
	return 0;
}

void png_copy_part(
	uint64_t at, const uint8_t *part, size_t size, uint64_t *off, uint8_t **dst, size_t *n)
{
	uint64_t left = at + size - *off;
	size_t m = *n < left ? *n : (size_t)left;

	memcpy(*dst, part + (*off - at), m);
	*off += m;
	*dst += m;
	*n -= m;
}
