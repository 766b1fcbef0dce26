/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/number.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond, decimals are written with an exponent. */
enum { DECIMAL_MIN_EXP = -7, DECIMAL_MAX_EXP = 15 };

/* printf's "-d.ddde+xx" as a plain decimal, or as "d.ddde21" where that would be very long. */
static void put_decimal(struct buffer *b, const char *scientific)
{
	char digits[32];
	size_t n = 0;
	int exponent;
	const char *p = scientific;

	if (*p == '-')
		buffer_byte(b, (uint8_t)*p++);
	for (; *p && *p != 'e'; p++)
		if (*p != '.')
			digits[n++] = *p;
	exponent = atoi(p + 1);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (exponent < DECIMAL_MIN_EXP || exponent > DECIMAL_MAX_EXP) {
		buffer_byte(b, (uint8_t)digits[0]);
		if (n > 1) {
			buffer_byte(b, '.');
			buffer_append(b, digits + 1, n - 1);
		}
		buffer_printf(b, "e%d", exponent);
		return;
	}
	if (exponent < 0) {
		buffer_text(b, "0.");
		for (int i = -1; i > exponent; i--)
			buffer_byte(b, '0');
		buffer_append(b, digits, n);
		return;
	}
	for (size_t i = 0; i < n || i <= (size_t)exponent; i++) {
		if (i == (size_t)exponent + 1)
			buffer_byte(b, '.');
		buffer_byte(b, i < n ? (uint8_t)digits[i] : '0');
	}
}

static void put_float(struct buffer *b, double v, bool single)
{
	bool small = single ? fabsf((float)v) < FLT_MIN : fabs(v) < DBL_MIN;
	char text[40];

	/* Six digits (of a double fifteen) give back every decimal of up to six (their zeros are
	 * dropped later), but not where the exponent is at its end. */
	for (int precision = small ? 0 : (single ? FLT_DIG : DBL_DIG) - 1;
		precision <= (single ? 8 : 16); precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, v);
		if (single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
			break;
	}
	put_decimal(b, text);
}

void number_put_f32(struct buffer *b, uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	if (isfinite(v))
		put_float(b, (double)v, true);
	else
		buffer_printf(b, "0x%08" PRIX32, bits);
}

void number_put_f64(struct buffer *b, uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	if (isfinite(v))
		put_float(b, v, false);
	else
		buffer_printf(b, "0x%016" PRIX64, bits);
}

void number_put_bool(struct buffer *b, uint32_t v)
{
	if (v > 1)
		buffer_printf(b, "%" PRIu32, v);
	else
		buffer_text(b, v ? "true" : "false");
}

static struct str trim(struct str s)
{
	while (s.n && (*s.s == ' ' || *s.s == '\t')) {
		s.s++;
		s.n--;
	}
	while (s.n && (s.s[s.n - 1] == ' ' || s.s[s.n - 1] == '\t'))
		s.n--;
	return s;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * [sign] digits [. digits] [e [sign] digits], at least one digit before the exponent; NUL-ended
 * into dst. So strtod's own extras (hexadecimal, "inf", other locales' points) never get through.
 */
static bool copy_decimal(struct str s, char *dst, size_t room)
{
	size_t i = 0, digits = 0;

	if (!s.n || s.n >= room)
		return false;
	if (s.s[i] == '-' || s.s[i] == '+')
		i++;
	for (; i < s.n && is_digit(s.s[i]); i++)
		digits++;
	if (i < s.n && s.s[i] == '.')
		for (i++; i < s.n && is_digit(s.s[i]); i++)
			digits++;
	if (!digits)
		return false;
	if (i < s.n && (s.s[i] == 'e' || s.s[i] == 'E')) {
		i++;
		if (i < s.n && (s.s[i] == '-' || s.s[i] == '+'))
			i++;
		if (i == s.n)
			return false;
		while (i < s.n && is_digit(s.s[i]))
			i++;
	}
	if (i != s.n)
		return false;
	memcpy(dst, s.s, s.n);
	dst[s.n] = 0;
	return true;
}

static bool get_bits(struct str s, size_t digits, uint64_t *ret)
{
	char text[20];

	if (s.n != digits + 2 || s.s[0] != '0' || (s.s[1] != 'x' && s.s[1] != 'X'))
		return false;
	for (size_t i = 2; i < s.n; i++)
		if (!is_digit(s.s[i]) && !strchr("abcdefABCDEF", s.s[i]))
			return false;
	memcpy(text, s.s, s.n);
	text[s.n] = 0;
	*ret = strtoull(text, NULL, 16);
	return true;
}

static bool get_float(struct str s, bool single, double *ret)
{
	char text[400];

	*ret = 0;
	if (!s.n)
		return true;
	if (!copy_decimal(s, text, sizeof(text)))
		return false;
	*ret = single ? (double)strtof(text, NULL) : strtod(text, NULL);
	return isfinite(*ret);
}

bool number_get_f32(struct str s, uint32_t *ret)
{
	uint64_t bits;
	double v;
	float f;

	s = trim(s);
	if (get_bits(s, 8, &bits)) {
		*ret = (uint32_t)bits;
		return true;
	}
	if (!get_float(s, true, &v))
		return false;
	f = (float)v;
	memcpy(ret, &f, sizeof(f));
	return true;
}

bool number_get_f64(struct str s, uint64_t *ret)
{
	double v;

	s = trim(s);
	if (get_bits(s, 16, ret))
		return true;
	if (!get_float(s, false, &v))
		return false;
	memcpy(ret, &v, sizeof(v));
	return true;
}

bool number_get_i64(struct str s, int64_t *ret)
{
	char text[80], *end;

	s = trim(s);
	if (!s.n) {
		*ret = 0;
		return true;
	}
	if (!copy_decimal(s, text, sizeof(text)))
		return false;
	errno = 0;
	*ret = strtoll(text, &end, 10);
	if (errno)
		return false;
	/* A fraction is cut off; an exponent would be lost without a word. */
	return !strpbrk(text, "eE");
}

bool number_get_i32(struct str s, int32_t *ret)
{
	int64_t v;

	if (!number_get_i64(s, &v) || v < INT32_MIN || v > INT32_MAX)
		return false;
	*ret = (int32_t)v;
	return true;
}

bool number_get_u32(struct str s, uint32_t *ret)
{
	int64_t v;

	if (!number_get_i64(s, &v) || v < INT32_MIN || v > UINT32_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}

bool number_get_bool(struct str s, uint32_t *ret)
{
	s = trim(s);
	if (str_equal_nocase(s, STR("TRUE"))) {
		*ret = 1;
		return true;
	}
	if (str_equal_nocase(s, STR("FALSE"))) {
		*ret = 0;
		return true;
	}
	return number_get_u32(s, ret);
}

void number_put(struct buffer *b, enum number_kind kind, const uint8_t *stored)
{
	uint32_t v = load_u32(stored);
	uint64_t wide = kind >= NUMBER_I64 ? v | (uint64_t)load_u32(stored + 4) << 32 : 0;

	if (kind == NUMBER_I32)
		buffer_printf(b, "%" PRId32, (int32_t)v);
	else if (kind == NUMBER_U32)
		buffer_printf(b, "%" PRIu32, v);
	else if (kind == NUMBER_BOOL)
		number_put_bool(b, v);
	else if (kind == NUMBER_F32)
		number_put_f32(b, v);
	else if (kind == NUMBER_I64)
		buffer_printf(b, "%" PRId64, (int64_t)wide);
	else
		number_put_f64(b, wide);
}

bool number_get(struct str s, enum number_kind kind, struct buffer *out)
{
	uint32_t v = 0;
	uint64_t wide = 0;
	bool ok = kind == NUMBER_I32    ? number_get_i32(s, (int32_t *)&v)
		  : kind == NUMBER_U32  ? number_get_u32(s, &v)
		  : kind == NUMBER_BOOL ? number_get_bool(s, &v)
		  : kind == NUMBER_F32  ? number_get_f32(s, &v)
		  : kind == NUMBER_I64  ? number_get_i64(s, (int64_t *)&wide)
					: number_get_f64(s, &wide);

	if (ok && kind >= NUMBER_I64)
		buffer_u64(out, wide);
	else if (ok)
		buffer_u32(out, v);
	return ok;
}
