/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "codec/text/text.h"

struct str str_of(const char *s)
{
	return (struct str){s, strlen(s)};
}

bool str_equal(struct str a, struct str b)
{
	return a.n == b.n && str_compare(a, b) == 0;
}

bool str_equal_nocase(struct str a, struct str b)
{
	return a.n == b.n && str_compare_nocase(a, b) == 0;
}

int str_compare(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int r = n ? memcmp(a.s, b.s, n) : 0;

	return r ? r : (a.n > b.n) - (a.n < b.n);
}

int str_compare_nocase(struct str a, struct str b)
{
	for (size_t i = 0; i < a.n && i < b.n; i++) {
		int r = (unsigned char)char_upper(a.s[i]) - (unsigned char)char_upper(b.s[i]);

		if (r)
			return r;
	}
	return (a.n > b.n) - (a.n < b.n);
}

uint64_t str_key(uint64_t seed, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		seed = (seed ^ (unsigned char)char_upper(s.s[i])) * 0x100000001B3U;
	return hash_number(seed);
}

struct str str_cut(struct str *rest, char sep)
{
	const char *end = rest->n ? memchr(rest->s, sep, rest->n) : NULL;
	struct str part = {rest->s, end ? (size_t)(end - rest->s) : rest->n};

	*rest = end ? (struct str){end + 1, rest->n - part.n - 1} : (struct str){0};
	return part;
}

char *str_dup(struct str s)
{
	return text_copy(s.s, s.n);
}

struct ss cursor_ss(struct cursor *c)
{
	uint16_t n = cursor_u16(c);
	const uint8_t *units = cursor_take(c, 2 * (size_t)n);

	return (struct ss){units, units ? n : 0};
}

void ss_to_utf8(struct ss s, struct buffer *out)
{
	if (s.n)
		utf16_to_utf8(s.units, s.n, out);
}

bool ss_is_line(struct ss s)
{
	unsigned c;

	for (size_t i = 0; i < s.n; i++) {
		c = (unsigned)s.units[2 * i] | (unsigned)s.units[2 * i + 1] << 8;
		if (c == '\n' || c == '\r' || !c)
			return false;
	}
	return true;
}

size_t str_units(struct str s)
{
	size_t n = 0;

	/* A character is one unit, or two if it has four bytes. */
	for (size_t i = 0; i < s.n; i++)
		n += (s.s[i] & 0xC0) == 0x80 ? 0U : (s.s[i] & 0xF8) == 0xF0 ? 2U : 1U;
	return n;
}

int ss_put(struct buffer *out, struct str s, struct error *e)
{
	size_t at = out->size, units;
	int r;

	buffer_u16(out, 0);
	r = utf8_to_utf16(s.s, s.n, out, e);
	if (r < 0)
		return r;
	if (out->error)
		return error_set(e, out->error, "out of memory");
	units = (out->size - at - 2) / 2;
	if (units > UINT16_MAX)
		return error_set(
			e, -EINVAL, "a string has %zu UTF-16 units (at most 65535)", units);
	buffer_patch_u16(out, at, units);
	return 0;
}

void buffer_str(struct buffer *b, struct str s)
{
	if (s.n)
		buffer_append(b, s.s, s.n);
}

void buffer_patch_u16(struct buffer *b, size_t at, size_t v)
{
	if (b->error)
		return;
	b->data[at] = (uint8_t)v;
	b->data[at + 1] = (uint8_t)(v >> 8);
}

void buffer_patch_u32(struct buffer *b, size_t at, size_t v)
{
	if (!b->error)
		store_u32(b->data + at, (uint32_t)v);
}

void buffer_hex(struct buffer *b, const uint8_t *data, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < n; i++) {
		buffer_byte(b, (uint8_t)digits[data[i] >> 4]);
		buffer_byte(b, (uint8_t)digits[data[i] & 15]);
	}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = char_upper(c);
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool hex_read(struct str s, struct buffer *out)
{
	if (s.n % 2)
		return false;
	for (size_t i = 0; i < s.n; i += 2) {
		int high = hex_digit(s.s[i]), low = hex_digit(s.s[i + 1]);

		if (high < 0 || low < 0)
			return false;
		buffer_byte(out, (uint8_t)(high * 16 + low));
	}
	return true;
}
