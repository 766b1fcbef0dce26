/* SPDX-License-Identifier: Zlib */
/*
 * print: print lines for people, on a terminal or in a log.
 *
 * Names and texts come from maps, journals and archives. A terminal would obey control characters
 * in them, so these functions replace or escape them, and bytes that are not UTF-8.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"

/* Replace control characters and invalid UTF-8 by question marks, in place. Returns s. */
char *replace_unprintable(char *s);
/* Append a text to out, with control characters and invalid UTF-8 escaped byte by byte (\x1b). Tab
 * and newline are not escaped. */
void append_escaped(const void *text, size_t n, struct buffer *out);

/* Print a line and a newline, without unprintable bytes. */
void print_line(FILE *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Print a line as print_line does, with `before` and `after` around the formatted text. */
void print_line_around(FILE *out, const char *before, const char *fmt, va_list ap,
	const char *after) PRINTF_LIKE(3, 0);
