/* SPDX-License-Identifier: Zlib */
/* text: UTF-8 and UTF-16, and escaping of stored names in file names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * Decode the first character of n bytes into *ret (may be NULL). Returns its length, 1 to 4, or 0
 * if n is 0 or the bytes are not UTF-8 (RFC 3629: no overlong form, no surrogate, nothing above
 * U+10FFFF).
 */
size_t utf8_next(const void *s, size_t n, uint32_t *ret);
/* Encode c, in up to 4 bytes; returns their number. Accepts surrogates, for WTF-8. */
size_t utf8_put(uint32_t c, uint8_t dst[4]);
bool utf8_valid(const void *s, size_t n);

/*
 * Convert UTF-16LE to UTF-8 (WTF-8). An unpaired surrogate becomes three bytes, as if it were a
 * character, so that utf8_to_utf16 restores every sequence of units. If memory is exhausted, the
 * buffer's sticky error is set.
 */
void utf16_to_utf8(const void *le, size_t units, struct buffer *out);
/* Convert WTF-8 to UTF-16LE. -EINVAL: "byte 7 is not UTF-8" (from 0); out may have the part before.
 * A pair of surrogates in three bytes each is refused, because it would be read back as one
 * character. Memory as above. */
int utf8_to_utf16(const void *s, size_t n, struct buffer *out, struct error *e);

/*
 * Escape a stored name for use in a file name: `%XX` (upper case) for each byte of `/`, `%`,
 * U+0000-1F, U+007F-9F, U+2028-202E, U+2066-2069, and for bytes that are not UTF-8. The result has
 * at most max bytes; it ends before the first character that does not fit with all its escapes. dst
 * has room for max + 1 bytes, and is NUL-ended. Returns the length.
 */
size_t name_escape(const void *name, size_t n, char *dst, size_t max);
/* Escape a stored name that is the whole file name: "." and ".." become %2E and %2E%2E, too. max is
 * at most NAME_MAX. Returns 0 for an empty name, which no file can have. */
size_t name_escape_whole(const void *name, size_t n, char *dst, size_t max);

/*
 * Decode %XX in either case; any other % is kept. dst has room for n + 1 bytes, and is NUL-ended;
 * it may be s. Returns the length. Use the result only to store or compare it, never as a path: it
 * may contain NUL (from %00), `/`, and bytes that are not UTF-8.
 */
size_t name_unescape(const char *s, size_t n, char *dst);
