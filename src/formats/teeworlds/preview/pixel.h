/* SPDX-License-Identifier: Zlib */
/*
 * pixel: arithmetic on RGBA pixels with premultiplied alpha.
 *
 * A pixel is a number as load_u32 reads it: red in the lowest byte, alpha in the highest. The
 * functions compute two channels at a time, each with 8 spare bits above it.
 */
#pragma once

#include <stdint.h>

#include "base/cursor.h"

#define TW_PAIR   0x00ff00ffu /* red and blue; green and alpha of a pixel shifted by 8 */
#define TW_HALF   0x00800080u /* 128 in both channels, for rounding */
#define TW_OPAQUE 0xffffffffu /* opaque white */

static inline uint32_t tw_alpha(uint32_t p)
{
	return p >> 24;
}

/* a * b / 255, rounded. */
static inline uint32_t tw_scale(uint32_t a, uint32_t b)
{
	uint32_t t = a * b + 128;

	return (t + (t >> 8)) >> 8;
}

/* Multiply each channel of p by f / 255, rounded as tw_scale does. */
static inline uint32_t tw_fade(uint32_t p, uint32_t f)
{
	uint32_t low = (p & TW_PAIR) * f + TW_HALF, high = (p >> 8 & TW_PAIR) * f + TW_HALF;

	low = (low + (low >> 8 & TW_PAIR)) >> 8 & TW_PAIR;
	high = (high + (high >> 8 & TW_PAIR)) & ~TW_PAIR;
	return low | high;
}

/* Multiply each channel of p by that of q. */
static inline uint32_t tw_tint(uint32_t p, uint32_t q)
{
	if (q == TW_OPAQUE)
		return p;
	return tw_scale(p & 255, q & 255) | tw_scale(p >> 8 & 255, q >> 8 & 255) << 8 |
	       tw_scale(p >> 16 & 255, q >> 16 & 255) << 16 | tw_scale(p >> 24, q >> 24) << 24;
}

/* Mix p and q: f / 256 of q, the rest of p. */
static inline uint32_t tw_mix(uint32_t p, uint32_t q, uint32_t f)
{
	uint32_t low = (p & TW_PAIR) * (256 - f) + (q & TW_PAIR) * f;
	uint32_t high = (p >> 8 & TW_PAIR) * (256 - f) + (q >> 8 & TW_PAIR) * f;

	return (low >> 8 & TW_PAIR) | (high & ~TW_PAIR);
}

/* Convert a plain RGBA color to a pixel: multiply c[0] to c[2] by the alpha c[3]. */
static inline uint32_t tw_pixel(const uint8_t *c)
{
	return tw_scale(c[0], c[3]) | tw_scale(c[1], c[3]) << 8 | tw_scale(c[2], c[3]) << 16 |
	       (uint32_t)c[3] << 24;
}

/* Draw p over the pixel at `at`. */
static inline void tw_blend(uint8_t *at, uint32_t p)
{
	if (tw_alpha(p) == 255)
		store_u32(at, p);
	else if (tw_alpha(p))
		store_u32(at, p + tw_fade(load_u32(at), 255 - tw_alpha(p)));
}
