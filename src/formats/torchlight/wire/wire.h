/* SPDX-License-Identifier: Zlib */
/*
 * wire: the small pieces that all Torchlight II structures are made of.
 *
 * SS: u16 number of UTF-16 units, then the units, little-endian, no end mark. Length 0 is legal,
 * and any units may occur. Inside mapfs they are UTF-8 (see textform.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"

/* A piece of UTF-8 that something else owns; not NUL-ended. */
struct str {
	const char *s;
	size_t n;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})

/* For "%.*s"; all of it, or no more than the first `most` bytes. */
#define STR_ARGS(str)        (int)(str).n, (str).s
#define STR_SHORT(str, most) (str).n < (most) ? (int)(str).n : (most), (str).s

struct str str_of(const char *s);

/* Of ASCII letters. */
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
bool str_equal_nocase(struct str a, struct str b); /* ASCII letters */
int str_compare(struct str a, struct str b);
int str_compare_nocase(struct str a, struct str b);
/* For base/hash.h; the same for strings that are equal in any case. */
uint64_t str_key(uint64_t seed, struct str s);
/* What stands before the next sep, or all; *rest: what follows that, whose s is NULL where no sep
 * stood. */
struct str str_cut(struct str *rest, char sep);
char *str_dup(struct str s); /* by its length; NUL-ended. NULL: no memory */

/* A piece of UTF-16LE in somebody's bytes. */
struct ss {
	const uint8_t *units;
	uint16_t n;
};

struct ss cursor_ss(struct cursor *c);
/* Appends it as UTF-8. */
void ss_to_utf8(struct ss s, struct buffer *out);
/* Can it stand in a line of text? false where it holds CR, LF or NUL. */
bool ss_is_line(struct ss s);
/* UTF-16 units that it would have. */
size_t str_units(struct str s);
/* Appends u16 length and units. -EINVAL where s has more than 65535 units. */
int ss_put(struct buffer *out, struct str s, struct error *e);

/* A byte as the archive's hashes take it: as a signed number. */
static inline uint32_t hash_byte(uint8_t c)
{
	return c < 0x80 ? c : c | 0xFFFFFF00U;
}

void buffer_str(struct buffer *b, struct str s);
/* What was left open at a place is v; nothing where b has failed. */
void buffer_patch_u16(struct buffer *b, size_t at, size_t v);
void buffer_patch_u32(struct buffer *b, size_t at, size_t v);
void buffer_hex(struct buffer *b, const uint8_t *data, size_t n); /* upper case, no blanks */
/* The way back; false: not pairs of hexadecimal digits. */
bool hex_read(struct str s, struct buffer *out);
