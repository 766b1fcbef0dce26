/* SPDX-License-Identifier: Zlib */
/*
 * wire: strings and numbers in Torchlight II files.
 *
 * SS: u16 number of UTF-16 units, then the units, little-endian, without an end mark. It can be
 * empty and can hold any units. In memory, strings are UTF-8 (text/textform.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"

/* Borrowed UTF-8; not NUL-ended. */
struct str {
	const char *s;
	size_t n;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})

/* Arguments for "%.*s": the whole string, or its first `most` bytes. */
#define STR_ARGS(str)        (int)(str).n, (str).s
#define STR_SHORT(str, most) (str).n < (most) ? (int)(str).n : (most), (str).s

struct str str_of(const char *s);

/* Upper-case an ASCII letter; other bytes stay. */
static inline char char_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static inline struct str str_of_bytes(const struct bytes *b)
{
	return (struct str){(const char *)b->data, b->size};
}

static inline struct str str_of_buffer(const struct buffer *b)
{
	return (struct str){(const char *)b->data, b->size};
}

bool str_equal(struct str a, struct str b);
bool str_equal_nocase(struct str a, struct str b); /* ignores ASCII case */
int str_compare(struct str a, struct str b);
int str_compare_nocase(struct str a, struct str b);
/* A key for base/hash.h. Strings that differ in ASCII case only have the same key. */
uint64_t str_key(uint64_t seed, struct str s);
/* Cut off the part before sep, or all. *rest: the part after sep; its s is NULL if sep is
 * missing. */
struct str str_cut(struct str *rest, char sep);
char *str_dup(struct str s); /* a NUL-ended copy; NULL if memory is exhausted */

/* A borrowed UTF-16LE string. */
struct ss {
	const uint8_t *units;
	uint16_t n;
};

/* Read an SS. Past the end of the data it is empty, and c->is_bad is set. */
struct ss cursor_ss(struct cursor *c);
/* Append s as UTF-8; half surrogates as in text/textform.h. */
void ss_to_utf8(struct ss s, struct buffer *out);
/* Does s have no CR, LF or NUL, so that it can be part of a line? */
bool ss_is_line(struct ss s);
/* Number of UTF-16 units of s. */
size_t str_units(struct str s);
/* Append s as an SS. -EINVAL, after appending some: more than 65535 units, or not UTF-8. */
int ss_put(struct buffer *out, struct str s, struct error *e);

/* A byte as the hashes of an archive use it: sign-extended. */
static inline uint32_t hash_byte(uint8_t c)
{
	return c < 0x80 ? c : c | 0xFFFFFF00U;
}

void buffer_str(struct buffer *b, struct str s);
/* Overwrite the number at an offset with the low bits of v. Does nothing if b has failed. */
void buffer_patch_u16(struct buffer *b, size_t at, size_t v);
void buffer_patch_u32(struct buffer *b, size_t at, size_t v);
void buffer_hex(struct buffer *b, const uint8_t *data, size_t n); /* upper case, no blanks */
/* Append the bytes of pairs of hexadecimal digits. false: something else, maybe after a part. */
bool hex_read(struct str s, struct buffer *out);
