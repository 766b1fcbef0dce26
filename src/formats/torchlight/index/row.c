/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/index/row.h"

#include <string.h>

void row_split(struct str line, struct row *ret)
{
	*ret = (struct row){.line = line};
	for (unsigned i = 0; i < ROW_CELLS && line.s; i++)
		ret->cells[i] = str_cut(&line, '\t');
}

unsigned row_cells(const struct raw_kind *kind)
{
	return kind->n_columns + (kind->sections ? 1 : 0);
}

const char *row_column(const struct raw_kind *kind, unsigned cell)
{
	if (kind->sections && cell == 0)
		return "list";
	return kind->columns[cell - (kind->sections ? 1 : 0)].name;
}

unsigned row_file_cell(const struct raw_kind *kind)
{
	unsigned i = 0;

	while (strcmp(row_column(kind, i), "file") != 0)
		i++;
	return i;
}
