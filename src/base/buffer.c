/* SPDX-License-Identifier: Zlib */
#include "base/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

void buffer_finish_free(struct buffer *b)
{
	bytes_unref(b->span);
	*b = (struct buffer)BUFFER_INIT;
}

static bool buffer_grow(struct buffer *b, size_t n)
{
	size_t room = b->room ? b->room : FIRST_ROOM;
	struct bytes *span;

	if (b->error)
		return false;
	if (n <= b->room - b->size)
		return true;
	if (n > SIZE_MAX / 2 - b->size) {
		b->error = -ENOMEM;
		return false;
	}
	while (room < b->size + n)
		room *= 2;
	span = bytes_resize(b->span, room, &b->data);
	if (!span) {
		b->error = -ENOMEM;
		return false;
	}
	b->span = span;
	b->room = room;
	return true;
}

uint8_t *buffer_reserve(struct buffer *b, size_t n)
{
	/* Allocate at least one byte, so that NULL always means failure. */
	return buffer_grow(b, n ? n : 1) ? b->data + b->size : NULL;
}

void buffer_append(struct buffer *b, const void *data, size_t n)
{
	if (!n || !buffer_grow(b, n))
		return;
	memcpy(b->data + b->size, data, n);
	b->size += n;
}

void buffer_byte(struct buffer *b, uint8_t c)
{
	buffer_append(b, &c, 1);
}

void buffer_text(struct buffer *b, const char *s)
{
	buffer_append(b, s, strlen(s));
}

char *text_vprintf(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

char *text_printf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	return text;
}

char *text_copy(const char *text, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return NULL;
	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

void buffer_printf(struct buffer *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0) {
		if (!b->error)
			b->error = -ENOMEM;
		return;
	}
	/* vsnprintf also writes a NUL, which needs room but is not counted in size. */
	if (!buffer_grow(b, (size_t)n + 1))
		return;
	va_start(ap, fmt);
	vsnprintf((char *)b->data + b->size, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->size += (size_t)n;
}

static void buffer_le(struct buffer *b, uint64_t v, size_t n)
{
	uint8_t le[8];

	for (size_t i = 0; i < n; i++)
		le[i] = (uint8_t)(v >> 8 * i);
	buffer_append(b, le, n);
}

void buffer_u16(struct buffer *b, uint16_t v)
{
	buffer_le(b, v, 2);
}

void buffer_u32(struct buffer *b, uint32_t v)
{
	buffer_le(b, v, 4);
}

void buffer_u64(struct buffer *b, uint64_t v)
{
	buffer_le(b, v, 8);
}

int buffer_finish(struct buffer *b, struct bytes **ret)
{
	struct bytes *span;
	int r = b->error;

	if (!r) {
		/* Return unused memory; the size of the span becomes that of the content. */
		span = bytes_resize(b->span, b->size, NULL);
		if (span) {
			b->span = NULL;
			*ret = span;
		} else {
			r = -ENOMEM;
		}
	}
	buffer_finish_free(b);
	return r;
}
