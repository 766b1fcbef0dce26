/* SPDX-License-Identifier: Zlib */
/* table: a list of records as CSV, with numbers as people write them. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "codec/text/csv_table.h"
#include "formats/triclon/map.h"

/* A stored number has two bytes at least, and eight characters at most for each two. */

enum kind { INDEX, TYPE, COORDINATE };

static const struct columns {
	const char *header[3];
	enum kind kinds[2];
} columns[TCM_FILES] = {
	[TCM_TERRAIN] = {{"index", "type"}, {INDEX, TYPE}},
	[TCM_POINTS] = {{"x", "y"}, {COORDINATE, COORDINATE}},
	[TCM_OBJECTS] = {{"x", "type"}, {COORDINATE, TYPE}},
};

static void show_number(struct buffer *to, enum kind kind, bool real, uint32_t stored)
{
	if (kind != COORDINATE)
		buffer_printf(to, "%" PRIu32, stored);
	else if (!real)
		buffer_printf(to, "%" PRIi32, (int32_t)stored);
	else /* Nine digits tell all floats apart. */
		buffer_printf(to, "%.9g", (double)tcm_float(stored));
}

static void show_table(const struct tcm_map *m, enum tcm_file table, struct buffer *to)
{
	const struct columns *c = &columns[table];
	const struct bytes *b = m->records[table];
	unsigned width = tcm_widths[table] / 2;

	buffer_printf(to, "%s,%s\n", c->header[0], c->header[1]);
	for (size_t i = 0; i < b->size / width; i++) {
		show_number(to, c->kinds[i % 2], m->variant.real,
			tcm_load(b->data + i * width, width, false));
		buffer_byte(to, i % 2 ? '\n' : ',');
	}
}

/* A table that is read. */
struct reader {
	const struct tcm_map *map; /* which it is to be a part of */
	enum tcm_file table;
	int64_t max_index; /* that terrain may have */
	struct buffer records;
};

static int take_float(struct reader *p, const struct csv_cell *cell, struct error *e)
{
	uint32_t stored;
	float f;
	int r = csv_as_float(cell, &f, e);

	if (r < 0)
		return r;
	memcpy(&stored, &f, sizeof(stored));
	buffer_u32(&p->records, stored);
	return 0;
}

static int take_cell(void *arg, const struct csv_cell *cell, struct error *e)
{
	struct reader *p = arg;
	unsigned width = tcm_widths[p->table] / 2;
	enum kind kind = columns[p->table].kinds[cell->column];
	int64_t v, min = kind == COORDINATE ? INT32_MIN : 0;
	int64_t max = kind == COORDINATE ? INT32_MAX : (INT64_C(1) << 8 * width) - 1;
	int r;

	if (kind == COORDINATE && p->map->variant.real)
		return take_float(p, cell, e);
	r = csv_as_int(cell, min, max, &v, e);
	if (r < 0)
		return r;
	if (kind == INDEX && v > p->max_index)
		return error_of_others(
			e, csv_refuse(cell, e,
				   "is beyond the points (points.csv has %zu, counted from 0)",
				   tcm_count(p->map, TCM_POINTS)));
	if (width == 2)
		buffer_u16(&p->records, (uint16_t)v);
	else
		buffer_u32(&p->records, (uint32_t)v);
	return 0;
}

int tcm_table_parse(
	struct tcm_map *m, enum tcm_file table, const struct extent *in, struct error *e)
{
	int64_t last_point = (int64_t)tcm_count(m, TCM_POINTS) - 1;
	size_t at;
	struct reader p = {.map = m, .table = table, .max_index = tcm_max_index(m, &at)};
	struct bytes *b;
	int r;

	/* A fault that the map has already may stay. */
	if (p.max_index < last_point)
		p.max_index = last_point;
	r = csv_table_read(in, TCM_TEXT_MAX, columns[table].header, take_cell, &p, e);
	if (r == 0 && buffer_finish(&p.records, &b) < 0)
		r = error_set(e, -ENOMEM, "no memory for the table");
	if (r == 0)
		tcm_set(&m->records[table], b);
	buffer_finish_free(&p.records);
	return r;
}

int tcm_show(struct tcm_map *m, enum tcm_file f, struct error *e)
{
	struct buffer text = BUFFER_INIT;
	struct bytes *b;

	if (f == TCM_INFO)
		tcm_info_show(m, &text);
	else
		show_table(m, f, &text);
	if (buffer_finish(&text, &b) < 0)
		return error_set(e, -ENOMEM, "no memory for %s", tcm_names[f]);
	tcm_set(&m->texts[f], b);
	return 0;
}

int tcm_clear(struct tcm_map *m, enum tcm_file f, struct error *e)
{
	struct bytes *none = bytes_copy("", 0);

	if (!none)
		return error_set(e, -ENOMEM, "no memory for an empty table");
	tcm_set(&m->records[f], none);
	return tcm_show(m, f, e);
}
