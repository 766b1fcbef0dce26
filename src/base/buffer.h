/* SPDX-License-Identifier: Zlib */
/*
 * buffer: a byte string that grows in memory.
 *
 * The error is sticky: after a failure appends do nothing, and buffer_finish returns the error. So
 * callers need not check each append.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

struct buffer {
	uint8_t *data;
	size_t size;
	size_t room;
	int error;          /* 0 or -ENOMEM */
	struct bytes *span; /* contains data, so buffer_finish copies nothing */
};

#define BUFFER_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

void buffer_finish_free(struct buffer *b); /* discard the content; b can be used again */
#define CLEANUP_BUFFER __attribute__((cleanup(buffer_finish_free)))

void buffer_append(struct buffer *b, const void *data, size_t n); /* data may be NULL if n is 0 */
void buffer_byte(struct buffer *b, uint8_t c);
void buffer_text(struct buffer *b, const char *s);
void buffer_printf(struct buffer *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Return a new string, which the caller frees, or NULL if memory is exhausted. */
char *text_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
char *text_vprintf(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);
/* Return a new string of n bytes and a NUL, as text_printf does. */
char *text_copy(const char *text, size_t n);
/* Append a little-endian integer. */
void buffer_u16(struct buffer *b, uint16_t v);
void buffer_u32(struct buffer *b, uint32_t v);
void buffer_u64(struct buffer *b, uint64_t v);
/* Make room for n more bytes and return where to write them; NULL on failure. The caller adds the
 * number of bytes that it wrote to b->size. */
uint8_t *buffer_reserve(struct buffer *b, size_t n);

/* Move the content into a span and empty b, also on failure. Returns 0 or -ENOMEM. */
int buffer_finish(struct buffer *b, struct bytes **ret);
