/* SPDX-License-Identifier: Zlib */
#include "base/cursor.h"

const uint8_t *cursor_take(struct cursor *c, size_t n)
{
	const uint8_t *p;

	if (n > cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	/* An empty span may have no address; a successful take is never NULL. */
	p = c->data ? c->data + c->pos : (const uint8_t *)"";
	c->pos += n;
	return c->bad ? NULL : p;
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

uint8_t cursor_u8(struct cursor *c)
{
	return (uint8_t)take_le(c, 1);
}

uint16_t cursor_u16(struct cursor *c)
{
	return (uint16_t)take_le(c, 2);
}

uint32_t cursor_u32(struct cursor *c)
{
	return (uint32_t)take_le(c, 4);
}

uint64_t cursor_u64(struct cursor *c)
{
	return take_le(c, 8);
}

int32_t cursor_i32(struct cursor *c)
{
	return (int32_t)take_le(c, 4);
}

int64_t cursor_i64(struct cursor *c)
{
	return (int64_t)take_le(c, 8);
}
