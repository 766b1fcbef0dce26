/* SPDX-License-Identifier: Zlib */
/*
 * print: print lines for people, on a terminal or in a log.
 *
 * Names and texts come from maps, journals and archives. A terminal would obey control characters
 * in them, so these functions replace or escape them, and bytes that do not have the form of UTF-8
 * (overlong forms, too). Surrogates and code points above U+10FFFF are not detected.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"

/* Replace bytes of control characters, also newlines, and invalid bytes by '?'. Returns s. */
char *replace_unprintable(char *s);
/* Append a text to out, with control characters and invalid bytes escaped byte by byte (\x1b). Tab
 * and newline are not escaped. */
void append_escaped(const void *text, size_t n, struct buffer *out);

/* Print a line, after replace_unprintable, and a newline, which fmt does not contain. */
void print_line(FILE *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Print `before`, the formatted text and `after` as one line, all as print_line does. */
void print_line_around(FILE *out, const char *before, const char *fmt, va_list ap,
	const char *after) PRINTF_LIKE(3, 0);
