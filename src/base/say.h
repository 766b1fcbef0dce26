/* SPDX-License-Identifier: Zlib */
/*
 * say: what people read, on a terminal or in a log.
 *
 * Names and texts come from maps, journals and archives, and a terminal obeys control characters.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"

/* Control characters, and what is no UTF-8, become question marks, in place. Returns s. */
char *printable(char *s);
/* Adds a text whose control characters, but tab and newline, and what is no UTF-8, are \x1b and the
 * like, byte by byte. */
void visible(const void *text, size_t n, struct buffer *out);

/* A line, printable, and its newline. */
void say(FILE *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* ... with `before` and `after` around what fmt says; for functions that say more. */
void say_more(FILE *out, const char *before, const char *fmt, va_list ap, const char *after)
	PRINTF_LIKE(3, 0);
