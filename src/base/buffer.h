/* SPDX-License-Identifier: Zlib */
/*
 * buffer: bytes under construction, in memory.
 *
 * The error is sticky: appends after a failure do nothing, and buffer_finish reports it, so that
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
	struct bytes *span; /* what data lies in, so that finishing copies nothing */
};

#define BUFFER_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

void buffer_finish_free(struct buffer *b); /* frees what is held; b is as new */
#define CLEANUP_BUFFER __attribute__((cleanup(buffer_finish_free)))

void buffer_append(struct buffer *b, const void *data, size_t n);
void buffer_byte(struct buffer *b, uint8_t c);
void buffer_text(struct buffer *b, const char *s);
void buffer_printf(struct buffer *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A text of its own, to be freed; NULL: no memory. */
char *text_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
char *text_vprintf(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);
/* ... of n bytes, which need not end in a NUL. */
char *text_copy(const char *text, size_t n);
void buffer_u16(struct buffer *b, uint16_t v); /* little-endian, as all below */
void buffer_u32(struct buffer *b, uint32_t v);
void buffer_u64(struct buffer *b, uint64_t v);
/* Room for n more bytes, to be filled by the caller and counted with size += used. NULL: failed. */
uint8_t *buffer_reserve(struct buffer *b, size_t n);

/* Turns the content into a span and empties b. Returns 0 or -ENOMEM. */
int buffer_finish(struct buffer *b, struct bytes **ret);
