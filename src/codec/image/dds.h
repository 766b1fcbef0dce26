/* SPDX-License-Identifier: Zlib */
/*
 * dds: DirectDraw textures as pixels.
 *
 * "DDS ", a header of 124 bytes (its own size first, flags, height, width, pitch, depth, number of
 * mipmaps, 44 unused; the pixel format: size 32, flags, four letters, bits of a pixel, masks of
 * red, green, blue and alpha; capabilities), then the largest image. Compressed ones are blocks of
 * 4 x 4 pixels, rows of blocks from the top: DXT1 two colours of 16 bits (5, 6, 5) and 2 bits for
 * each pixel, one of which is transparent where the first colour is not the larger number; DXT3 and
 * DXT5 8 bytes of alpha before that. Plain ones have whole bytes for each pixel, rows without a
 * gap. (Microsoft: Programming Guide for DDS; Khronos Data Format Specification, S3TC.)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum { DDS_PIXELS_MAX = 4096 * 4096 };

struct dds {
	uint32_t w, h;
	struct bytes *rgba; /* rows from the top; the caller's */
};

/* The largest image; mipmaps, and all sides of a cube but the first, are passed over. -EINVAL: not
 * DDS, of another kind than these, cut short, or more than DDS_PIXELS_MAX. */
int dds_decode(const uint8_t *data, size_t size, struct dds *ret, struct error *e);
