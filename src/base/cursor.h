/* SPDX-License-Identifier: Zlib */
/*
 * cursor: checked reading of little-endian fields from a span.
 *
 * A read past the end returns 0 and sets `is_bad`, which stays set. So a parser can read a whole
 * record and check once. The data may be unaligned.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *data;
	size_t size;
	size_t pos;
	bool is_bad;
};

static inline struct cursor cursor_init(const void *data, size_t size)
{
	return (struct cursor){.data = data, .size = size};
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->is_bad ? 0 : c->size - c->pos;
}

/* Return the next n bytes and move past them. If there are fewer, set is_bad. NULL if is_bad. */
const uint8_t *cursor_take(struct cursor *c, size_t n);
uint8_t cursor_u8(struct cursor *c);
uint16_t cursor_u16(struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);
int32_t cursor_i32(struct cursor *c);
int64_t cursor_i64(struct cursor *c);

/* Load or store one little-endian value at p. The caller has checked the bounds. */
static inline uint32_t load_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline int32_t load_i32(const uint8_t *p)
{
	return (int32_t)load_u32(p);
}

static inline void store_u32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
}

/* Checked arithmetic as in C23's <stdckdint.h>: true if the result does not fit. */
#define ckd_add(ret, a, b) __builtin_add_overflow((a), (b), (ret))
#define ckd_sub(ret, a, b) __builtin_sub_overflow((a), (b), (ret))
#define ckd_mul(ret, a, b) __builtin_mul_overflow((a), (b), (ret))
