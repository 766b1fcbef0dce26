/* SPDX-License-Identifier: Zlib */
/*
 * csv_table: tables with a header line and cells of any width, as people and spreadsheets write
 * them. (csv.h has the tables of fixed width, of which parts are made and read.)
 *
 * Accepted: blanks and tabs around a cell, a pair of quotes around it, CRLF, a missing last line
 * feed, and lines of nothing below the header. A file of no bytes is a table without rows.
 */
#pragma once

#include <stdint.h>

#include "base/disk/file.h"
#include "base/error.h"

enum { CSV_CELL_MAX = 64 };

struct csv_cell {
	uint64_t line;   /* from 1, which is the header */
	unsigned column; /* from 0 */
	/* Without what stands around it; control characters are '?', and one that is too long ends
	 * in "...", so that neither reads as a number. */
	char text[CSV_CELL_MAX];
};

/* Takes the cells below the header, row by row. A negative errno stops the reading and is
 * returned. */
typedef int (*csv_cell_fn)(void *arg, const struct csv_cell *cell, struct error *e);

/*
 * Each line has as many cells as header, which is NULL-ended. -EFBIG: more than max bytes. -EINVAL,
 * as all refusals here "line 3, column 2: ..." from 1: another header, a cell too many or too few;
 * cells may have been given out before that is known.
 */
int csv_table_read(const struct extent *in, uint64_t max, const char *const *header,
	csv_cell_fn take, void *arg, struct error *e);

/* A refusal for a reason of one's own: "line 3, column 2: 70000 is odd" for "is odd". */
int csv_refuse(const struct csv_cell *cell, struct error *e, const char *why, ...)
	PRINTF_LIKE(3, 4);

/* It must be a decimal integer from min to max; it must be a finite decimal number. */
int csv_as_int(
	const struct csv_cell *cell, int64_t min, int64_t max, int64_t *ret, struct error *e);
int csv_as_float(const struct csv_cell *cell, float *ret, struct error *e);
