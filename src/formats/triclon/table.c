/* SPDX-License-Identifier: Zlib */
/* table: a list of records as CSV, with decimal numbers. */
#include <errno.h>
#include <string.h>

#include "codec/text/csv_table.h"
#include "formats/triclon/map.h"

void tcm_table_show(const struct tcm_content *c, enum tcm_file table, struct buffer *to)
{
	const struct tcm_kind *k = &tcm_kinds[table];

	buffer_printf(to, "%s,%s\n", k->header[0], k->header[1]);
	for (size_t i = 0; i < 2 * c->lists[table].n; i++) {
		/* Nine digits distinguish all floats. */
		buffer_printf(to, tcm_is_real(&c->variant, table, i % 2) ? "%.9g" : "%.0f",
			tcm_value(c, table, i % 2, i / 2));
		buffer_byte(to, i % 2 ? '\n' : ',');
	}
}

/* A table that is parsed. */
struct reader {
	const struct tcm_content *content; /* the map that it belongs to */
	enum tcm_file table;
	struct buffer *records;
};

static int take_number(
	const struct reader *p, const struct csv_cell *cell, uint32_t *ret, struct error *e)
{
	const struct tcm_kind *k = &tcm_kinds[p->table];
	int64_t v, most = (INT64_C(1) << 8 * k->width) - 1;
	float f;
	int r;

	if (tcm_is_real(&p->content->variant, p->table, cell->column)) {
		r = csv_as_float(cell, &f, e);
		memcpy(ret, &f, sizeof(*ret));
		return r;
	}
	r = k->coordinate[cell->column] ? csv_as_int(cell, INT32_MIN, INT32_MAX, &v, e)
					: csv_as_int(cell, 0, most, &v, e);
	*ret = (uint32_t)v;
	return r;
}

static int take_cell(void *arg, const struct csv_cell *cell, struct error *e)
{
	struct reader *p = arg;
	uint32_t v = 0;
	int r = take_number(p, cell, &v, e);

	tcm_append(p->records, v, tcm_kinds[p->table].width, &p->content->variant);
	return r;
}

int tcm_table_parse(const struct tcm_content *c, enum tcm_file table, const struct extent *in,
	struct buffer *to, struct error *e)
{
	struct reader p = {c, table, to};

	return csv_table_read(in, TCM_TEXT_MAX, tcm_kinds[table].header, take_cell, &p, e);
}
