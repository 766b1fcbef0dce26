/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/textform.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/text.h"

int text_error(struct error *e, unsigned line, unsigned column, const char *fmt, ...)
{
	char text[900];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return error_set(e, -EINVAL, "line %u, column %u: %s", line, column, text);
}

unsigned text_column(const char *line_begin, const char *at)
{
	unsigned column = 1;

	for (const char *s = line_begin; s < at; s++)
		column += ((unsigned char)*s & 0xC0) != 0x80;
	return column;
}

/* Length of the character or half surrogate at s; 0 if there is none. */
static size_t wtf8_next(const uint8_t *s, size_t n)
{
	size_t len = utf8_next(s, n, NULL);

	if (!len && n >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && (s[2] & 0xC0) == 0x80)
		return 3;
	return len;
}

static int copy_lines(const uint8_t *s, size_t n, struct buffer *out, struct error *e)
{
	unsigned line = 1, column = 1;
	size_t i = 0, len;

	while (i < n) {
		if (s[i] == '\r') {
			if (i + 1 == n || s[i + 1] != '\n')
				return text_error(e, line, column, "a CR without a line feed");
			i++;
			continue;
		}
		if (!s[i])
			return text_error(e, line, column, "a NUL character");
		len = wtf8_next(s + i, n - i);
		if (!len)
			return text_error(e, line, column, "byte 0x%02X is not UTF-8", s[i]);
		buffer_append(out, s + i, len);
		column++;
		if (s[i] == '\n') {
			line++;
			column = 1;
		}
		i += len;
	}
	return out->error;
}

static int refuse_length(size_t n, struct error *e)
{
	return error_set(e, -EFBIG, "the text has %zu bytes (at most %d)", n, TEXT_MAX);
}

static int append_text(const uint8_t *s, size_t n, struct buffer *out, struct error *e)
{
	CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT;

	if (n >= 2 && s[0] == 0xFF && s[1] == 0xFE) {
		if (n % 2)
			return error_set(e, -EINVAL,
				"the text has %zu bytes (UTF-16 has an even number)", n);
		utf16_to_utf8(s + 2, (n - 2) / 2, &utf8);
		if (utf8.error)
			return error_set(e, utf8.error, "out of memory");
		return copy_lines(utf8.data, utf8.size, out, e);
	}
	if (n >= 2 && (s[0] == 0xFE && s[1] == 0xFF))
		return error_set(e, -EINVAL,
			"the text is UTF-16BE, with the mark FE FF (use UTF-8, or UTF-16LE with "
			"the mark FF FE)");
	if (n >= 4 && n % 2 == 0 && !s[0] != !s[1] && !s[2] != !s[3])
		return error_set(e, -EINVAL,
			"the text is UTF-16 without a byte order mark (must begin with FF FE)");
	if (n >= 3 && s[0] == 0xEF && s[1] == 0xBB && s[2] == 0xBF) {
		s += 3;
		n -= 3;
	}
	return copy_lines(s, n, out, e);
}

int textform_read(const void *data, size_t n, struct buffer *out, struct error *e)
{
	size_t before = out->size;
	int r;

	if (n > 2 * (size_t)TEXT_MAX)
		return refuse_length(n, e);
	r = append_text(data, n, out, e);
	/* The mount shows no longer text. */
	return r == 0 && out->size - before > TEXT_MAX ? refuse_length(out->size - before, e) : r;
}

int textform_write(
	const void *utf8, size_t n, enum textform form, struct buffer *out, struct error *e)
{
	const uint8_t *s = utf8, *lf;
	int r;

	if (form == TEXTFORM_UTF8) {
		buffer_append(out, s, n);
		return out->error;
	}
	buffer_u16(out, 0xFEFF);
	while (n) {
		lf = memchr(s, '\n', n);
		r = utf8_to_utf16(s, lf ? (size_t)(lf - s) : n, out, e);
		if (r < 0)
			return r;
		if (!lf)
			break;
		buffer_u16(out, '\r');
		buffer_u16(out, '\n');
		n -= (size_t)(lf - s) + 1;
		s = lf + 1;
	}
	return out->error;
}
