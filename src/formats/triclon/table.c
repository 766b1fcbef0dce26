/* SPDX-License-Identifier: Zlib */
/* table: a list of records as CSV, with numbers as people write them. */
#include <errno.h>
#include <string.h>

#include "codec/text/csv_table.h"
#include "formats/triclon/map.h"

/* A stored number has two bytes at least, and eight characters at most for each two. */

void tcm_table_show(const struct tcm_map *m, enum tcm_file table, struct buffer *to)
{
	const struct tcm_kind *k = &tcm_kinds[table];

	buffer_printf(to, "%s,%s\n", k->header[0], k->header[1]);
	for (size_t i = 0; i < 2 * tcm_count(m, table); i++) {
		struct tcm_column c = tcm_map_column(m, table, i % 2);

		/* Nine digits tell all floats apart. */
		buffer_printf(to, c.real ? "%.9g" : "%.0f", tcm_value(&c, i / 2));
		buffer_byte(to, i % 2 ? '\n' : ',');
	}
}

/* A table that is read. */
struct reader {
	const struct tcm_map *map; /* which it is to be a part of */
	enum tcm_file table;
	int64_t max_index; /* that terrain may have */
	struct buffer *records;
};

static int take_number(
	const struct tcm_column *c, const struct csv_cell *cell, uint32_t *ret, struct error *e)
{
	int64_t v, most = (INT64_C(1) << 8 * c->width) - 1;
	float f;
	int r;

	if (c->real) {
		r = csv_as_float(cell, &f, e);
		memcpy(ret, &f, sizeof(*ret));
		return r;
	}
	r = c->coordinate ? csv_as_int(cell, INT32_MIN, INT32_MAX, &v, e)
			  : csv_as_int(cell, 0, most, &v, e);
	*ret = (uint32_t)v;
	return r;
}

static int take_cell(void *arg, const struct csv_cell *cell, struct error *e)
{
	struct reader *p = arg;
	struct tcm_column c = tcm_map_column(p->map, p->table, cell->column);
	uint32_t v = 0;
	int r = take_number(&c, cell, &v, e);

	if (r == 0 && p->table == TCM_TERRAIN && cell->column == 0 && v > p->max_index)
		return error_of_others(
			e, csv_refuse(cell, e,
				   "is beyond the points (points.csv has %zu, counted from 0)",
				   tcm_count(p->map, TCM_POINTS)));
	tcm_append(p->records, v, c.width, c.big);
	return r;
}

int tcm_table_parse(const struct tcm_map *m, enum tcm_file table, const struct extent *in,
	struct buffer *to, struct error *e)
{
	int64_t last_point = (int64_t)tcm_count(m, TCM_POINTS) - 1;
	size_t at;
	struct reader p = {m, table, tcm_max_index(m, &at), to};

	/* A fault that the map has already may stay. */
	if (p.max_index < last_point)
		p.max_index = last_point;
	return csv_table_read(in, TCM_TEXT_MAX, tcm_kinds[table].header, take_cell, &p, e);
}
