/* SPDX-License-Identifier: Zlib */
#include "tools/compare/digest.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

/*
 * The content is a polynomial modulo a prime, evaluated at two points. Two different polynomials of
 * degree n agree in at most n of 2^61 points.
 */
#define PRIME ((UINT64_C(1) << 61) - 1)
enum { STEP = 7 }; /* bytes of a coefficient, so that it is less than the prime */

static uint64_t points[2];

int digest_init(void)
{
	if (getrandom(points, sizeof(points), 0) != (ssize_t)sizeof(points))
		return -EIO;
	points[0] %= PRIME;
	points[1] %= PRIME;
	return 0;
}

/*
 * sum * point + coefficient, modulo the prime. Both factors are less than 2^61. Their halves of 32
 * bits are multiplied, because not every machine has integers of 128 bits. Bit 61 and above of each
 * product count from bit 0 again, so the sum is less than 2^64.
 */
static uint64_t multiply_add(uint64_t sum, uint64_t point, uint64_t coefficient)
{
	uint64_t high = sum >> 32, low = sum & UINT32_MAX;
	uint64_t point_high = point >> 32, point_low = point & UINT32_MAX;
	uint64_t middle = high * point_low + low * point_high, product = low * point_low;
	uint64_t r = (product & PRIME) + (product >> 61);

	r += ((middle << 32) & PRIME) + (middle >> 29) + (high * point_high << 3) + coefficient;
	r = (r & PRIME) + (r >> 61);
	return r >= PRIME ? r - PRIME : r;
}

/* The coefficient of the next STEP bytes, or of n if fewer are left; equal on every machine. */
static uint64_t coefficient(const uint8_t *p, size_t n)
{
	uint64_t c = 0;

	memcpy(&c, p, n < STEP ? n : STEP);
	return le64toh(c);
}

uint64_t digest_hash(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t sum = n % PRIME;

	for (size_t at = 0; at < n; at += STEP)
		sum = multiply_add(sum, UINT64_C(0x123456789abcdef), coefficient(p + at, n - at));
	return sum;
}

static void add_coefficient(struct digest *d, uint64_t c)
{
	*d = (struct digest){multiply_add(d->a, points[0], c), multiply_add(d->b, points[1], c)};
}

/* The length is the first coefficient, so that different pieces have different coefficients. */
void digest_add(struct digest *d, const void *data, size_t n)
{
	const uint8_t *p = data;

	add_coefficient(d, n % PRIME);
	for (size_t at = 0; at < n; at += STEP)
		add_coefficient(d, coefficient(p + at, n - at));
}

struct digest digest_of(const void *data, size_t n)
{
	struct digest d = {0};

	digest_add(&d, data, n);
	return d;
}
