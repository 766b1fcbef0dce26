/* SPDX-License-Identifier: Zlib */
/* row: the rows of an index as a table (text/raw/rawindex.h): lines of cells between tabs. */
#pragma once

#include "formats/torchlight/text/raw/rawindex.h"
#include "formats/torchlight/wire/wire.h"

enum { ROW_CELLS = RAW_COLUMNS_MAX + 1 };

struct row {
	struct str line; /* without its end; the cells are in it */
	struct str cells[ROW_CELLS];
};

/* Where a line has fewer cells, the others are empty. */
void row_split(struct str line, struct row *ret);

/* The columns of a table: of lists that it has, the first says which. */
unsigned row_cells(const struct raw_kind *kind);
const char *row_column(const struct raw_kind *kind, unsigned cell);
/* Which cell is the source's path. */
unsigned row_file_cell(const struct raw_kind *kind);
