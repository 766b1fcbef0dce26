/* SPDX-License-Identifier: Zlib */
/*
 * text: UTF-8 and UTF-16, and names as names of files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * The character at the begin of the n bytes: its length (1 to 4) and *ret (may be NULL). 0: what
 * stands there is not UTF-8 (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF), or
 * n is 0.
 */
size_t utf8_next(const void *s, size_t n, uint32_t *ret);
/* Writes c, up to 4 bytes; returns how many. Surrogates are written too, for WTF-8. */
size_t utf8_put(uint32_t c, uint8_t dst[4]);
bool utf8_valid(const void *s, size_t n);

/*
 * UTF-16LE to UTF-8 and back; failure of memory is the buffer's sticky error. A surrogate without
 * its other half becomes three bytes as if it were a character (WTF-8), and those come back as the
 * surrogate, so every sequence of units survives. A pair of surrogates that is written as two such
 * triples is refused: it would come back as one character.
 */
void utf16_to_utf8(const void *le, size_t units, struct buffer *out);
/* -EINVAL "byte 7 is not UTF-8" (counted from 0); out may then hold the part before. */
int utf8_to_utf16(const void *s, size_t n, struct buffer *out, struct error *e);

/*
 * A stored name as part of a file's name: `%XX` (upper case) for each byte of `/`, `%`, U+0000-1F,
 * U+007F-9F, U+2028-202E, U+2066-2069 and for bytes that are not UTF-8; the rest as it stands. Cut
 * to at most max bytes before the first character that does not fit with all its escapes. dst has
 * room for max + 1 and is NUL-ended. Returns the length.
 */
size_t name_escape(const void *name, size_t n, char *dst, size_t max);
/* The same for a name that is all of the file's name: "." and ".." become %2E and %2E%2E. Returns 0
 * for an empty name, which no file can have. */
size_t name_escape_whole(const void *name, size_t n, char *dst, size_t max);

/*
 * The way back: %XX (either case) is decoded, any other % stands for itself. dst has room for n + 1
 * and is NUL-ended; it may be s. Returns the length. The result is anything: it may hold NUL (from
 * %00), `/`, and bytes that are not UTF-8, so it is a name to store or compare, never a path.
 */
size_t name_unescape(const char *s, size_t n, char *dst);
