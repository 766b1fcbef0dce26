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

/* Smaller and larger decimals have an exponent. */
enum { DECIMAL_MIN_EXP = -7, DECIMAL_MAX_EXP = 15 };

/* Append the shortest decimal that reads back to the same bits. */
static void put_float(struct buffer *b, double v, bool single)
{
	bool small = single ? fabsf((float)v) < FLT_MIN : fabs(v) < DBL_MIN;
	const char *point, *end;
	char text[40];
	int exponent, decimals = 0;

	/* Six digits (fifteen for a double) reproduce every decimal with up to six digits; zeros at
	 * its end are dropped below. This does not hold for denormal numbers. */
	for (int precision = small ? 0 : (single ? FLT_DIG : DBL_DIG) - 1;
		precision <= (single ? 8 : 16); precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, v);
		if (single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
			break;
	}
	end = strchr(text, 'e');
	exponent = atoi(end + 1);
	point = strchr(text, '.');
	if (point) {
		while (end[-1] == '0')
			end--;
		decimals = (int)(end - point) - 1;
		end -= !decimals;
	}
	if (exponent < DECIMAL_MIN_EXP || exponent > DECIMAL_MAX_EXP)
		buffer_printf(b, "%.*se%d", (int)(end - text), text, exponent);
	else
		buffer_printf(b, "%.*f", decimals > exponent ? decimals - exponent : 0,
			strtod(text, NULL));
}

void number_put(struct buffer *b, enum number_kind kind, const uint8_t *stored)
{
	uint32_t v = load_u32(stored);
	uint64_t wide = kind >= NUMBER_I64 ? v | (uint64_t)load_u32(stored + 4) << 32 : 0;
	double d;
	float f;

	memcpy(&f, &v, sizeof(f));
	memcpy(&d, &wide, sizeof(d));
	if (kind == NUMBER_I32)
		buffer_printf(b, "%" PRId32, (int32_t)v);
	else if (kind == NUMBER_BOOL && v <= 1)
		buffer_text(b, v ? "true" : "false");
	else if (kind == NUMBER_U32 || kind == NUMBER_BOOL)
		buffer_printf(b, "%" PRIu32, v);
	else if (kind == NUMBER_I64)
		buffer_printf(b, "%" PRId64, (int64_t)wide);
	else if (kind == NUMBER_F32 && !isfinite(f))
		buffer_printf(b, "0x%08" PRIX32, v);
	else if (kind == NUMBER_F64 && !isfinite(d))
		buffer_printf(b, "0x%016" PRIX64, wide);
	else
		put_float(b, kind == NUMBER_F32 ? (double)f : d, kind == NUMBER_F32);
}

struct str number_trim(struct str s)
{
	while (s.n && strchr(" \t\r", s.s[s.n - 1]))
		s.n--;
	while (s.n && strchr(" \t", *s.s)) {
		s.s++;
		s.n--;
	}
	return s;
}

/*
 * Copy [sign] digits [. digits] [e [sign] digits], with a digit before the exponent, to dst with a
 * NUL. This excludes the extensions of strtod: hexadecimal, "inf", decimal points of other locales.
 */
static bool copy_decimal(struct str s, char *dst, size_t room)
{
	static const char digits[] = "0123456789";
	const char *p = dst;
	size_t n, fraction = 0;

	if (!s.n || s.n >= room)
		return false;
	memcpy(dst, s.s, s.n);
	dst[s.n] = 0;
	p += *p == '-' || *p == '+';
	p += n = strspn(p, digits);
	if (*p == '.')
		p += fraction = 1 + strspn(p + 1, digits);
	if (n + fraction < (fraction ? 2 : 1))
		return false;
	if (*p == 'e' || *p == 'E') {
		p += p[1] == '-' || p[1] == '+' ? 2 : 1;
		p += n = strspn(p, digits);
		if (!n)
			return false;
	}
	return p == dst + s.n;
}

bool number_hex(struct str s, size_t digits, uint64_t *ret)
{
	char text[17];

	if (s.n != digits)
		return false;
	memcpy(text, s.s, digits);
	text[digits] = 0;
	if (strspn(text, "0123456789abcdefABCDEF") != digits)
		return false;
	*ret = strtoull(text, NULL, 16);
	return true;
}

static bool read_float(struct str s, bool single, uint64_t *ret)
{
	bool is_bits = s.n > 2 && s.s[0] == '0' && (s.s[1] | 32) == 'x';
	char text[400] = "0";
	double d;
	float f;
	uint32_t v;

	if (is_bits && number_hex((struct str){s.s + 2, s.n - 2}, single ? 8 : 16, ret))
		return true;
	if (s.n && !copy_decimal(s, text, sizeof(text)))
		return false;
	if (single) {
		f = strtof(text, NULL);
		memcpy(&v, &f, sizeof(v));
		*ret = v;
		return isfinite(f);
	}
	d = strtod(text, NULL);
	memcpy(ret, &d, sizeof(*ret));
	return isfinite(d);
}

static bool read_integer(struct str s, int64_t min, int64_t max, uint64_t *ret)
{
	char text[80] = "0";
	int64_t v;

	if (s.n && !copy_decimal(s, text, sizeof(text)))
		return false;
	errno = 0;
	*ret = (uint64_t)(v = strtoll(text, NULL, 10));
	/* A fraction is cut off. An exponent is refused: strtoll would ignore it. */
	return !errno && v >= min && v <= max && !strpbrk(text, "eE");
}

bool number_read(struct str s, enum number_kind kind, uint64_t *ret)
{
	s = number_trim(s);
	if (kind == NUMBER_F32 || kind == NUMBER_F64)
		return read_float(s, kind == NUMBER_F32, ret);
	if (kind == NUMBER_I64)
		return read_integer(s, INT64_MIN, INT64_MAX, ret);
	*ret = kind == NUMBER_BOOL && str_equal_nocase(s, STR("TRUE"));
	if (*ret || (kind == NUMBER_BOOL && str_equal_nocase(s, STR("FALSE"))))
		return true;
	return read_integer(s, INT32_MIN, kind == NUMBER_I32 ? INT32_MAX : UINT32_MAX, ret);
}

bool number_get(struct str s, enum number_kind kind, struct buffer *out)
{
	uint64_t v;

	if (!number_read(s, kind, &v))
		return false;
	if (kind >= NUMBER_I64)
		buffer_u64(out, v);
	else
		buffer_u32(out, (uint32_t)v);
	return true;
}

static bool read_u32(struct str s, enum number_kind kind, uint32_t *ret)
{
	uint64_t v;
	bool ok = number_read(s, kind, &v);

	if (ok)
		*ret = (uint32_t)v;
	return ok;
}

bool number_get_f32(struct str s, uint32_t *ret)
{
	return read_u32(s, NUMBER_F32, ret);
}

bool number_get_i32(struct str s, int32_t *ret)
{
	return read_u32(s, NUMBER_I32, (uint32_t *)ret);
}

bool number_get_u32(struct str s, uint32_t *ret)
{
	return read_u32(s, NUMBER_U32, ret);
}

bool number_get_bool(struct str s, uint32_t *ret)
{
	return read_u32(s, NUMBER_BOOL, ret);
}

bool number_get_i64(struct str s, int64_t *ret)
{
	return number_read(s, NUMBER_I64, (uint64_t *)ret);
}
