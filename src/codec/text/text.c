/* SPDX-License-Identifier: Zlib */
#include "codec/text/text.h"

#include <errno.h>
#include <string.h>

#include "base/name.h"

enum {
	HIGH_FIRST = 0xd800, /* the first half of a pair of UTF-16 units */
	LOW_FIRST = 0xdc00,
	SURROGATES_END = 0xe000,
	BMP_END = 0x10000,
	UNICODE_END = 0x110000,
};

static bool is_in_range(uint32_t c, uint32_t first, uint32_t last)
{
	return c >= first && c <= last;
}

/* Length of a sequence with this first byte; 0 if no sequence begins with it. */
static size_t announced(uint8_t c)
{
	if (c < 0x80)
		return 1;
	if (is_in_range(c, 0xc2, 0xdf))
		return 2;
	if (is_in_range(c, 0xe0, 0xef))
		return 3;
	return is_in_range(c, 0xf0, 0xf4) ? 4 : 0;
}

/* Like utf8_next, but accepts surrogates. */
static size_t wtf8_next(const uint8_t *s, size_t n, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, BMP_END};
	size_t len = n ? announced(s[0]) : 0;
	uint32_t c;

	if (!len || len > n)
		return 0;
	c = len == 1 ? s[0] : s[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < least[len] || c >= UNICODE_END)
		return 0;
	*ret = c;
	return len;
}

size_t utf8_next(const void *s, size_t n, uint32_t *ret)
{
	uint32_t c;
	size_t len = wtf8_next(s, n, &c);

	if (!len || is_in_range(c, HIGH_FIRST, SURROGATES_END - 1))
		return 0;
	if (ret)
		*ret = c;
	return len;
}

size_t utf8_put(uint32_t c, uint8_t dst[4])
{
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < BMP_END ? 3 : 4;

	if (len == 1) {
		dst[0] = (uint8_t)c;
		return 1;
	}
	for (size_t i = len; i-- > 1; c >>= 6)
		dst[i] = (uint8_t)(0x80 | (c & 0x3f));
	dst[0] = (uint8_t)(0xf00u >> len | c);
	return len;
}

bool utf8_valid(const void *s, size_t n)
{
	const uint8_t *p = s;

	while (n) {
		size_t len = utf8_next(p, n, NULL);

		if (!len)
			return false;
		p += len;
		n -= len;
	}
	return true;
}

static uint32_t unit_at(const uint8_t *le, size_t i)
{
	return (uint32_t)le[2 * i] | (uint32_t)le[2 * i + 1] << 8;
}

void utf16_to_utf8(const void *le, size_t units, struct buffer *out)
{
	const uint8_t *p = le;

	for (size_t i = 0; i < units; i++) {
		uint32_t c = unit_at(p, i);
		uint8_t utf8[4];

		if (is_in_range(c, HIGH_FIRST, LOW_FIRST - 1) && i + 1 < units) {
			uint32_t low = unit_at(p, i + 1);

			if (is_in_range(low, LOW_FIRST, SURROGATES_END - 1)) {
				c = BMP_END + ((c - HIGH_FIRST) << 10) + (low - LOW_FIRST);
				i++;
			}
		}
		buffer_append(out, utf8, utf8_put(c, utf8));
	}
}

int utf8_to_utf16(const void *s, size_t n, struct buffer *out, struct error *e)
{
	const uint8_t *p = s;
	bool after_high = false;

	for (size_t i = 0; i < n;) {
		uint32_t c;
		size_t len = wtf8_next(p + i, n - i, &c);
		bool low = len && is_in_range(c, LOW_FIRST, SURROGATES_END - 1);

		/* A pair of surrogates has one form only, that of the whole character. */
		if (!len || (low && after_high))
			return error_set(e, -EINVAL, "byte %zu is not UTF-8", i);
		if (c < BMP_END) {
			buffer_u16(out, (uint16_t)c);
		} else {
			buffer_u16(out, (uint16_t)(HIGH_FIRST + ((c - BMP_END) >> 10)));
			buffer_u16(out, (uint16_t)(LOW_FIRST + ((c - BMP_END) & 0x3ff)));
		}
		after_high = is_in_range(c, HIGH_FIRST, LOW_FIRST - 1);
		i += len;
	}
	return 0;
}

/* Needs the character no escape? Controls do, and those that break a line or change the direction
 * of the text around them. */
static bool is_plain(uint32_t c)
{
	return c >= 0x20 && c != '/' && c != '%' && !is_in_range(c, 0x7f, 0x9f) &&
	       !is_in_range(c, 0x2028, 0x202e) && !is_in_range(c, 0x2066, 0x2069);
}

static void escape_byte(uint8_t c, char *dst)
{
	static const char digits[] = "0123456789ABCDEF";

	dst[0] = '%';
	dst[1] = digits[c >> 4];
	dst[2] = digits[c & 15];
}

/* Escape n bytes. Returns the length of the result, or 0 if it does not fit. */
static size_t escape_all(const uint8_t *s, size_t n, char *dst, size_t max)
{
	if (3 * n > max)
		return 0;
	for (size_t i = 0; i < n; i++)
		escape_byte(s[i], dst + 3 * i);
	return 3 * n;
}

size_t name_escape(const void *name, size_t n, char *dst, size_t max)
{
	const uint8_t *p = name;
	size_t used = 0;

	while (n) {
		uint32_t c;
		size_t len = utf8_next(p, n, &c);
		size_t put;

		if (len && is_plain(c)) {
			put = len <= max - used ? len : 0;
			memcpy(dst + used, p, put);
		} else {
			len = len ? len : 1;
			put = escape_all(p, len, dst + used, max - used);
		}
		if (!put)
			break;
		used += put;
		p += len;
		n -= len;
	}
	dst[used] = '\0';
	return used;
}

size_t name_escape_whole(const void *name, size_t n, char *dst, size_t max)
{
	size_t used = name_escape(name, n, dst, max);

	if (name_check(dst, used) < 0) {
		used = escape_all(name, n, dst, max);
		dst[used] = '\0';
	}
	return used;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t name_unescape(const char *s, size_t n, char *dst)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		int high = n - i > 2 && s[i] == '%' ? hex_value(s[i + 1]) : -1;
		int low = high >= 0 ? hex_value(s[i + 2]) : -1;

		if (low >= 0) {
			dst[used++] = (char)(high << 4 | low);
			i += 2;
		} else {
			dst[used++] = s[i];
		}
	}
	dst[used] = '\0';
	return used;
}
