/* SPDX-License-Identifier: Zlib */
/*
 * png_pack: the pixels in a blob as a PNG file that is compressed.
 *
 * The same rows as those of the stored form (png.h), by zlib at its default level: the same file
 * whenever it is asked for. They are compressed in bands of PNG_BAND bytes, each by itself, which a
 * full flush ends: so any of them can be made again alone, several are made at once, and memory is
 * a few bands, however large the image is. What was made is cached in the blob's budget. Any
 * thread.
 */
#pragma once

#include <stdbool.h>

#include "codec/blob.h"

enum { PNG_BAND = 1 << 20 };

/* Is the length known, without looking at a pixel? That of pixels that are damaged is 0. */
bool png_packed_known(struct blob *b, uint32_t width, uint32_t height, uint64_t *ret_size);
/* It is found once, by compressing, and remembered with the blob, which has width * height * 4
 * bytes or more. */
int png_packed_size(
	struct blob *b, uint32_t width, uint32_t height, uint64_t *ret_size, struct error *e);
/* Bytes [off, off + n); past the end is -EINVAL. n may be 0: can it be read at all? */
int png_packed_read(struct blob *b, uint32_t width, uint32_t height, uint64_t off, void *dst,
	size_t n, struct error *e);
