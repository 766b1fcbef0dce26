/* SPDX-License-Identifier: Zlib */
#include "base/cursor.h"

const uint8_t *cursor_take(struct cursor *c, size_t n)
{
	const uint8_t *p;

	if (n > cursor_left(c)) {
		c->is_bad = true;
		return NULL;
	}
	/* data may be NULL if size is 0, but a successful call never returns NULL. */
	p = c->data ? c->data + c->pos : (const uint8_t *)"";
	c->pos += n;
	return c->is_bad ? NULL : p;
}

static uint64_t take_le(struct cursor *c, size_t n)
{
	const uint8_t *p = cursor_take(c, n);
	uint64_t v = 0;

	if (!p)
		return 0;
	while (n--)
		v = v << 8 | p[n];
	return v;
}

#define DEFINE_TAKE(type, name)                                                                    \
	type name(struct cursor *c)                                                                \
	{                                                                                          \
		return (type)take_le(c, sizeof(type));                                             \
	}

DEFINE_TAKE(uint8_t, cursor_u8)
DEFINE_TAKE(uint16_t, cursor_u16)
DEFINE_TAKE(uint32_t, cursor_u32)
DEFINE_TAKE(uint64_t, cursor_u64)
DEFINE_TAKE(int32_t, cursor_i32)
DEFINE_TAKE(int64_t, cursor_i64)
