/* SPDX-License-Identifier: Zlib */
/*
 * csv: tables of integers with columns of fixed width.
 *
 * Each cell is right-aligned in `cell` characters, padded with blanks. A comma separates cells, and
 * a line feed ends each line. So a table has height * width * (cell + 1) bytes, and any part of it
 * can be written alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/disk/file.h"
#include "base/error.h"

struct csv_shape {
	uint32_t width, height; /* at least 1 each */
	uint32_t cell;          /* characters: 3 for a byte, 6 for 16 signed bits; at most 11 */
};

/* Size of the table in bytes; UINT64_MAX if it is larger. */
uint64_t csv_size(const struct csv_shape *shape);

enum { CSV_RUN = 8192 }; /* maximum number of cells for one callback below */

/* Values in memory. The value of a call's cell i, from 0, is at `first + i * stride`: an unsigned
 * byte, or if is_wide 16 signed bits in little endian. */
struct csv_values {
	const uint8_t *first;
	size_t stride;
	bool is_wide;
};

/* Locate the values of cells [first, first + n), counted row by row. They must stay valid until the
 * next call, or until csv_read returns. A negative errno stops csv_read, which returns it. */
typedef int (*csv_cells_fn)(
	void *arg, uint64_t first, size_t n, struct csv_values *ret, struct error *e);

/* Write bytes [off, off + n) of the table to dst. -EINVAL: past the end, or cell is over 11. -EIO:
 * a value does not fit its cell (a wrong shape). */
int csv_read(const struct csv_shape *shape, csv_cells_fn cells, void *arg, uint64_t off, void *dst,
	size_t n, struct error *e);

/* Receives the values of cells [first, first + n), in order and without gaps. A negative errno
 * stops the parser, which returns it. */
typedef int (*csv_take_fn)(
	void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *e);

/*
 * Parse a table of exactly shape's width and height, with values from min to max. Ignores
 * shape->cell. Accepts blanks, tabs and a pair of quotes around a value, `;` or a tab instead of
 * `,`, a byte order mark, CRLF, and a missing last line feed. Memory is bounded.
 *
 * -EINVAL: refused. The text has line and column (cell) from 1, if the fault is in one: "line 3,
 * column 7: 300 is not 0..255". `take` may have received cells before.
 */
int csv_parse(const struct extent *in, const struct csv_shape *shape, int32_t min, int32_t max,
	csv_take_fn take, void *arg, struct error *e);

/* Measure a table with equally many cells in each line. ret->cell is 0. -EINVAL as csv_parse. */
int csv_measure(
	const struct extent *in, int32_t min, int32_t max, struct csv_shape *ret, struct error *e);
