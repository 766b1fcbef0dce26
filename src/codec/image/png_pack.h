/* SPDX-License-Identifier: Zlib */
/*
 * png_pack: show the pixels of a blob as a compressed PNG file.
 *
 * The rows are those of the canonical form (png.h), compressed by zlib at its default level, so the
 * file is always the same. Each band of PNG_BAND bytes is compressed alone, and ends with a full
 * flush. So a band can be made again alone, several are made in parallel, and memory is a few
 * bands, whatever the size of the image. Bands are cached in the blob's budget. Any thread.
 */
#pragma once

#include <stdbool.h>

#include "codec/blob.h"

enum { PNG_BAND = 1 << 20 };

/* Is the size known without decoding? True with *ret_size 0 if blob_check has found damage before
 * the size was remembered. *ret_size is 0 if the result is false. */
bool png_packed_known(struct blob *b, uint32_t width, uint32_t height, uint64_t *ret_size);
/* Find the size of the file. The first call compresses the image, and remembers the size with the
 * blob. -EINVAL: the blob has fewer than width * height * 4 bytes. -EIO: it is damaged. */
int png_packed_size(
	struct blob *b, uint32_t width, uint32_t height, uint64_t *ret_size, struct error *e);
/* Read bytes [off, off + n) of the file. -EINVAL past the end, else errors as png_packed_size. With
 * n == 0, test whether the file can be read. */
int png_packed_read(struct blob *b, uint32_t width, uint32_t height, uint64_t off, void *dst,
	size_t n, struct error *e);
