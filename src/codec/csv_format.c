/* SPDX-License-Identifier: Zlib */
#include "codec/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"

enum {
	RUN = 1024, /* cells at a time */
	CELL_MAX = 11,
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

/* One cell and what separates it from the next; -1 where the value needs more room. */
static int put_cell(const struct csv_shape *shape, uint64_t at, int32_t value, char *dst)
{
	uint32_t left = (uint32_t)(value < 0 ? -(int64_t)value : value);
	uint32_t i = shape->cell;

	dst[i] = (at + 1) % shape->width ? ',' : '\n';
	do {
		if (!i)
			return -1;
		dst[--i] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0) {
		if (!i)
			return -1;
		dst[--i] = '-';
	}
	memset(dst, ' ', i);
	return 0;
}

/* Cells [first, first + n) as text; dst has room for each of them. */
static int put_run(const struct csv_shape *shape, csv_cells_fn cells, void *arg, uint64_t first,
	size_t n, char *dst, struct error *e)
{
	int32_t values[RUN];
	int r = cells(arg, first, n, values, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++, dst += shape->cell + 1) {
		if (put_cell(shape, first + i, values[i], dst) < 0)
			return error_set(e, -EIO, "%" PRIi32 " does not fit %" PRIu32 " characters",
				values[i], shape->cell);
	}
	return 0;
}

int csv_read(const struct csv_shape *shape, csv_cells_fn cells, void *arg, uint64_t off, void *dst,
	size_t n, struct error *e)
{
	char text[RUN * (CELL_MAX + 1)];
	uint64_t size = csv_size(shape);
	uint64_t stride = (uint64_t)shape->cell + 1;
	uint8_t *to = dst;

	if (shape->cell > CELL_MAX)
		return error_set(
			e, -EINVAL, "cell is %" PRIu32 " (at most %d)", shape->cell, CELL_MAX);
	if (off > size || n > size - off)
		return error_set(e, -EINVAL,
			"%zu bytes at %" PRIu64 " are past the end (size %" PRIu64 ")", n, off,
			size);
	while (n) {
		uint64_t first = off / stride;
		size_t skip = (size_t)(off % stride);
		size_t run = (size_t)least(RUN, (skip + n + stride - 1) / stride);
		size_t part = (size_t)least(n, run * stride - skip);
		int r = put_run(shape, cells, arg, first, run, text, e);

		if (r < 0)
			return r;
		memcpy(to, text + skip, part);
		off += part;
		to += part;
		n -= part;
	}
	return 0;
}
