/* SPDX-License-Identifier: Zlib */
/*
 * csv: tables of integers with columns of fixed width.
 *
 * Each cell is right-aligned in `cell` characters with blanks before it; cells are separated by a
 * comma; each line ends in a line feed. So a table has height * width * (cell + 1) bytes, and any
 * part of it can be made alone.
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

/* Bytes of the table; it saturates at UINT64_MAX where that does not fit. */
uint64_t csv_size(const struct csv_shape *shape);

enum { CSV_RUN = 8192 }; /* the most cells at a time, below */

/* Values in memory: that of cell i at `at + i * stride`, a byte, or where wide two of them: 16
 * signed bits, the low ones first. */
struct csv_values {
	const uint8_t *at;
	size_t stride;
	bool wide;
};

/* Says where the values of cells [first, first + n) are, counted row by row. They stay there until
 * it is called again, or csv_read returns. */
typedef int (*csv_cells_fn)(
	void *arg, uint64_t first, size_t n, struct csv_values *ret, struct error *e);

/* Bytes [off, off + n) of the table; past its end is -EINVAL. A value that does not fit its cell is
 * -EIO (the shape was chosen wrongly). */
int csv_read(const struct csv_shape *shape, csv_cells_fn cells, void *arg, uint64_t off, void *dst,
	size_t n, struct error *e);

/* Takes the values of cells [first, first + n); runs follow each other without a gap. A negative
 * errno stops the parsing and is returned. */
typedef int (*csv_take_fn)(
	void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *e);

/*
 * Reads a table of exactly shape's width and height (cell is not looked at), values between min and
 * max. Any blanks and tabs around a value, a pair of quotes around it, `;` or a tab instead of `,`,
 * a byte order mark, CRLF and a missing last line feed are accepted. In bounded memory, whatever
 * the width.
 *
 * -EINVAL, the text naming line and column (cell), both from 1: "line 3, column 7: 300 is not
 * 0..255". Cells may have been given out before that is known.
 */
int csv_parse(const struct extent *in, const struct csv_shape *shape, int32_t min, int32_t max,
	csv_take_fn take, void *arg, struct error *e);

/* How large is the table, in which all lines are of one length? -EINVAL as above; ret->cell is 0.
 */
int csv_measure(
	const struct extent *in, int32_t min, int32_t max, struct csv_shape *ret, struct error *e);
