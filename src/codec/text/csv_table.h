/* SPDX-License-Identifier: Zlib */
/*
 * csv_table: read tables with a header line and cells of any width, as people and spreadsheets
 * write them. (csv.h has tables of fixed width, which can be read and written in part.)
 * The reader accepts blanks, tabs and a pair of quotes around a cell, CRLF, a missing last line
 * feed, and empty lines below the header. Only a comma separates cells, even inside quotes; a byte
 * order mark is refused. An empty file is a table without rows.
 */
#pragma once

#include <stdint.h>

#include "base/disk/file.h"
#include "base/error.h"

enum { CSV_CELL_MAX = 64 };

struct csv_cell {
	uint64_t line;   /* from 1, which is the header */
	unsigned column; /* from 0 */
	/* Trimmed. Control characters are replaced by '?', and a text that is too long ends in
	 * "...", so that neither is read as a number. */
	char text[CSV_CELL_MAX];
};

/* Receives the cells below the header, row by row. A negative errno stops the reader, which
 * returns it. */
typedef int (*csv_cell_fn)(void *arg, const struct csv_cell *cell, struct error *e);

/*
 * Read a table. Each line has as many cells as header, which is NULL-ended. -EFBIG: more than max
 * bytes. -EINVAL: another header, or a cell too many or too few; `take` may have received cells
 * before. Refusals have the form "line 3, column 2: ...", counted from 1.
 */
int csv_table_read(const struct extent *in, uint64_t max, const char *const *header,
	csv_cell_fn take, void *arg, struct error *e);

/* Refuse a cell: "line 3, column 2: 70000 is odd" for why = "is odd". Returns -EINVAL. */
int csv_refuse(const struct csv_cell *cell, struct error *e, const char *why, ...)
	PRINTF_LIKE(3, 4);

/* Convert a cell that must be a decimal integer from min to max. -EINVAL. */
int csv_as_int(
	const struct csv_cell *cell, int64_t min, int64_t max, int64_t *ret, struct error *e);
/* Convert a cell that must be a finite decimal number. -EINVAL. */
int csv_as_float(const struct csv_cell *cell, float *ret, struct error *e);
