/* SPDX-License-Identifier: Zlib */
/* Shared by the unit tests of this folder. */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"

/* The buffer as a C string, valid until it changes. */
static inline const char *text_of(struct buffer *b)
{
	buffer_byte(b, 0);
	b->size--;
	return (const char *)b->data;
}

static inline void put_ss16(struct buffer *b, const char *ascii)
{
	buffer_u16(b, (uint16_t)strlen(ascii));
	for (; *ascii; ascii++)
		buffer_u16(b, (uint8_t)*ascii);
}

static inline uint32_t word_at(const struct buffer *b, size_t at)
{
	return load_u32(b->data + at);
}
