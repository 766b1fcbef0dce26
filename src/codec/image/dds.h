/* SPDX-License-Identifier: Zlib */
/*
 * dds: decode DirectDraw textures.
 *
 * "DDS ", a header of 124 bytes (its own size first, flags, height, width, pitch, depth, number of
 * mipmaps, 44 unused; the pixel format: size 32, flags, four letters, bits of a pixel, masks of
 * red, green, blue and alpha; capabilities), then the largest image. A compressed image consists of
 * blocks of 4 x 4 pixels, rows of blocks from the top. A DXT1 block has two colors of 16 bits (5,
 * 6, 5) and 2 bits for each pixel; one of their values means transparent if the first color is not
 * the larger number. DXT3 and DXT5 blocks have 8 bytes of alpha before that. An uncompressed image
 * has whole bytes for each pixel, and rows without gaps. (Microsoft: Programming Guide for DDS;
 * Khronos Data Format Specification, S3TC.)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum { DDS_PIXELS_MAX = 4096 * 4096 };

struct dds {
	uint32_t w, h;
	struct bytes *rgba; /* rows from the top; owned reference */
};

/* Decode the largest image, without mipmaps; of a cube the first side. -EINVAL: no DDS, another
 * pixel format, truncated, or more than DDS_PIXELS_MAX. */
int dds_decode(const uint8_t *data, size_t size, struct dds *ret, struct error *e);
