/* SPDX-License-Identifier: Zlib */
#include "codec/text/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/cursor.h"

enum {
	CELL_MAX = 11,
	/* The texts of small values, three digits at most and a comma, come from a table. */
	LOOKED_UP = 1000,
	DIGITS = 3,
	TEXT = DIGITS + 1,
	WIDE_CELL = 6,
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t csv_size(const struct csv_shape *shape)
{
	uint64_t cells = (uint64_t)shape->width * shape->height;
	uint64_t size;

	return ckd_mul(&size, cells, (uint64_t)shape->cell + 1) ? UINT64_MAX : size;
}

/* Write a value right-aligned in `cell` characters. False: it does not fit. */
static inline bool put_value(uint32_t cell, int32_t value, char *dst)
{
	uint32_t left = (uint32_t)(value < 0 ? -(int64_t)value : value);
	uint32_t i = cell;

	do {
		if (!i)
			return false;
		dst[--i] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0) {
		if (!i)
			return false;
		dst[--i] = '-';
	}
	memset(dst, ' ', i);
	return true;
}

static struct {
	pthread_once_t once;
	char text[LOOKED_UP][TEXT];
} small = {.once = PTHREAD_ONCE_INIT};

static void make_small(void)
{
	for (int i = 0; i < LOOKED_UP; i++) {
		put_value(DIGITS, i, small.text[i]);
		small.text[i][DIGITS] = ',';
	}
}

static int32_t value_at(const uint8_t *at, bool wide)
{
	return wide ? (int16_t)(uint16_t)(at[0] | at[1] << 8) : at[0];
}

static void put_bytes(const struct csv_values *v, size_t n, char *dst)
{
	const uint8_t *at = v->first;
	size_t stride = v->stride;

	for (size_t i = 0; i < n; i++, at += stride, dst += TEXT)
		memcpy(dst, small.text[*at], TEXT);
}

/* Inline, so that the compiler makes a loop for each known width. */
static inline size_t put_any(uint32_t cell, const struct csv_values *v, size_t n, char *dst)
{
	const uint8_t *at = v->first;
	size_t stride = v->stride, i;
	bool wide = v->is_wide;

	for (i = 0; i < n; i++, at += stride, dst += cell + 1) {
		int32_t value = value_at(at, wide);

		if (cell >= DIGITS && value >= 0 && value < LOOKED_UP) {
			memset(dst, ' ', cell - DIGITS);
			memcpy(dst + cell - DIGITS, small.text[value], TEXT);
			continue;
		}
		if (!put_value(cell, value, dst))
			break;
		dst[cell] = ',';
	}
	return i;
}

/* Write n values. Returns the index of the first that does not fit its cell, or n. */
static size_t put_values(uint32_t cell, const struct csv_values *v, size_t n, char *dst)
{
	pthread_once(&small.once, make_small);
	if (cell == DIGITS && !v->is_wide) {
		put_bytes(v, n, dst);
		return n;
	}
	return cell == WIDE_CELL ? put_any(WIDE_CELL, v, n, dst) : put_any(cell, v, n, dst);
}

/* Replace the commas after the last cells of rows by line feeds. */
static void end_rows(const struct csv_shape *shape, uint64_t first, size_t n, char *dst)
{
	size_t stride = (size_t)shape->cell + 1;

	for (uint64_t at = shape->width - 1 - first % shape->width; at < n; at += shape->width)
		dst[at * stride + shape->cell] = '\n';
}

/* Write cells [first, first + n); dst has room for all. */
static int put_run(const struct csv_shape *shape, csv_cells_fn cells, void *arg, uint64_t first,
	size_t n, char *dst, struct error *e)
{
	struct csv_values values;
	size_t i;
	int r = cells(arg, first, n, &values, e);

	if (r < 0)
		return r;
	i = put_values(shape->cell, &values, n, dst);
	if (i < n)
		return error_set(e, -EIO, "%" PRIi32 " does not fit %" PRIu32 " characters",
			value_at(values.first + i * values.stride, values.is_wide), shape->cell);
	end_rows(shape, first, n, dst);
	return 0;
}

int csv_read(const struct csv_shape *shape, csv_cells_fn cells, void *arg, uint64_t off, void *dst,
	size_t n, struct error *e)
{
	uint64_t size = csv_size(shape);
	size_t stride = (size_t)shape->cell + 1;
	char text[CELL_MAX + 1];
	uint8_t *to = dst;

	if (shape->cell > CELL_MAX)
		return error_set(
			e, -EINVAL, "cell is %" PRIu32 " (at most %d)", shape->cell, CELL_MAX);
	if (off > size || n > size - off)
		return error_set(e, -EINVAL,
			"%zu bytes at %" PRIu64 " are past the end (size %" PRIu64 ")", n, off,
			size);
	while (n) {
		size_t skip = (size_t)(off % stride), part, run;
		bool whole = !skip && n >= stride;
		int r;

		/* The range may contain only a part of the first and the last cell. */
		run = whole ? (size_t)min_u64(CSV_RUN, n / stride) : 1;
		part = whole ? run * stride : (size_t)min_u64(n, stride - skip);
		r = put_run(shape, cells, arg, off / stride, run, whole ? (char *)to : text, e);
		if (r < 0)
			return r;
		if (!whole)
			memcpy(to, text + skip, part);
		off += part;
		to += part;
		n -= part;
	}
	return 0;
}
