/* SPDX-License-Identifier: Zlib */
/*
 * textform: the encodings of texts: two that the mount shows, and those that it accepts.
 *
 * In memory, text is always UTF-8 with LF. Half surrogates, which the game's strings may contain,
 * are encoded in three bytes like characters (WTF-8). The modding kit reads and writes UTF-16LE
 * with a byte order mark and CRLF. This code does not depend on what the text means.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum textform { TEXTFORM_UTF8, TEXTFORM_UTF16 }; /* with LF; LE with byte order mark and CRLF */

/* Longest text that is shown, in bytes of UTF-8. textform_write does not check it. */
enum { TEXT_MAX = 64 << 20 };

/*
 * Append a written text to out as UTF-8 with LF. It may be UTF-8 with or without a byte order mark,
 * or UTF-16LE with one, and have CRLF or LF.
 *
 * -EINVAL, with line and column: it is not UTF-8, or has a NUL or a CR without LF. -EINVAL without
 * them: it is UTF-16 of another form, or has an odd number of bytes. -EFBIG: n is more than
 * 2 * TEXT_MAX, or what is appended is more than TEXT_MAX.
 */
int textform_read(const void *data, size_t n, struct buffer *out, struct error *e);

/* Append a text, UTF-8 with LF, to out in this form. -ENOMEM may leave e unset. */
int textform_write(
	const void *utf8, size_t n, enum textform form, struct buffer *out, struct error *e);

/* Set and return the error -EINVAL: "line 3, column 7: ...". Columns are characters, from 1. */
int text_error(struct error *e, unsigned line, unsigned column, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* The column of a position in its line, in characters, from 1. */
unsigned text_column(const char *line_begin, const char *at);
