/* SPDX-License-Identifier: Zlib */
#include "codec/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/cursor.h"

enum {
	RUN = CSV_RUN,
	CELL_MAX = 11,
	BYTE_CELL = 3,
	BYTE_STRIDE = 4,
	BYTES = 256,
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t csv_size(const struct csv_shape *shape)
{
	uint64_t cells = (uint64_t)shape->width * shape->height;
	uint64_t size;

	return ckd_mul(&size, cells, (uint64_t)shape->cell + 1) ? UINT64_MAX : size;
}

/* Right-aligned in `cell` characters; false where the value needs more room. */
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
	char text[BYTES][BYTE_STRIDE];
} byte_cells = {.once = PTHREAD_ONCE_INIT};

static void make_byte_cells(void)
{
	for (int i = 0; i < BYTES; i++) {
		put_value(BYTE_CELL, i, byte_cells.text[i]);
		byte_cells.text[i][BYTE_CELL] = ',';
	}
}

/* Cells of bytes, which most tables have, are looked up. Returns the first that is none, or n. */
static size_t put_bytes(const int32_t *values, size_t n, char *dst)
{
	size_t i;

	pthread_once(&byte_cells.once, make_byte_cells);
	for (i = 0; i < n && (uint32_t)values[i] < BYTES; i++)
		memcpy(dst + i * BYTE_STRIDE, byte_cells.text[values[i]], BYTE_STRIDE);
	return i;
}

static size_t put_any(uint32_t cell, const int32_t *values, size_t n, char *dst)
{
	size_t i;

	for (i = 0; i < n && put_value(cell, values[i], dst); i++, dst += cell + 1)
		dst[cell] = ',';
	return i;
}

/* The commas after the last cells of rows become line feeds. */
static void end_rows(const struct csv_shape *shape, uint64_t first, size_t n, char *dst)
{
	size_t stride = (size_t)shape->cell + 1;

	for (uint64_t at = shape->width - 1 - first % shape->width; at < n; at += shape->width)
		dst[at * stride + shape->cell] = '\n';
}

/* Cells [first, first + n) as text; dst has room for each of them. */
static int put_run(const struct csv_shape *shape, csv_cells_fn cells, void *arg, uint64_t first,
	size_t n, char *dst, struct error *e)
{
	int32_t values[RUN];
	size_t i = 0;
	int r = cells(arg, first, n, values, e);

	if (r < 0)
		return r;
	if (shape->cell == BYTE_CELL)
		i = put_bytes(values, n, dst);
	i += put_any(shape->cell, values + i, n - i, dst + i * (shape->cell + 1));
	if (i < n)
		return error_set(e, -EIO, "%" PRIi32 " does not fit %" PRIu32 " characters",
			values[i], shape->cell);
	end_rows(shape, first, n, dst);
	return 0;
}

int csv_read(const struct csv_shape *shape, csv_cells_fn cells, void *arg, uint64_t off, void *dst,
	size_t n, struct error *e)
{
	uint64_t size = csv_size(shape);
	uint64_t stride = (uint64_t)shape->cell + 1;
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

		/* Of the first and the last cell a part may be wanted. */
		run = whole ? (size_t)least(RUN, n / stride) : 1;
		part = whole ? run * stride : (size_t)least(n, stride - skip);
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
