/* SPDX-License-Identifier: Zlib */
/*
 * textform: the two forms in which the text of a compiled file is shown, and what is taken back.
 *
 * Inside, text is always UTF-8 with LF; half surrogates, which the game's strings may hold, are
 * three bytes as if they were characters (WTF-8). The modding kit reads and writes UTF-16LE with a
 * byte order mark and CRLF. Nothing here knows what the text says.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum textform { TEXTFORM_UTF8, TEXTFORM_UTF16 };

/* Longest text that is shown or taken, in bytes of UTF-8: beyond is -EFBIG. */
enum { TEXT_MAX = 64 << 20 };

/*
 * What a person wrote, in whichever form (UTF-8 with or without a byte order mark, UTF-16LE with
 * one; CRLF or LF), appended to out as UTF-8 with LF.
 *
 * -EINVAL with line and column: not UTF-8, half a UTF-16 unit, NUL, or CR that no LF follows.
 */
int textform_read(const void *data, size_t n, struct buffer *out, struct error *e);

/* UTF-8 with LF to the form that is shown, appended to out. */
int textform_write(
	const void *utf8, size_t n, enum textform form, struct buffer *out, struct error *e);

/* The error of what a person wrote: "line 3, column 7: ..."; columns count characters, from 1. */
int text_error(struct error *e, unsigned line, unsigned column, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* The column of a place in its line, in characters. */
unsigned text_column(const char *line_begin, const char *at);
