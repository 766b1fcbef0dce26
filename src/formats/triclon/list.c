/* SPDX-License-Identifier: Zlib */
/* list: a table as CSV, with numbers as people write them. Its size is found once, when it is made.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/triclon/map.h"

enum column { U16, U32, COORDINATE };

static const struct {
	const char *names[2];
	enum column columns[2];
} tables[TCM_TABLES] = {
	[TCM_TERRAIN] = {{"index", "type"}, {U16, U16}},
	[TCM_POINTS] = {{"x", "y"}, {COORDINATE, COORDINATE}},
	[TCM_OBJECTS] = {{"x", "type"}, {COORDINATE, U32}},
};

const char *const tcm_table_files[TCM_TABLES] = {
	[TCM_TERRAIN] = "terrain.csv",
	[TCM_POINTS] = "points.csv",
	[TCM_OBJECTS] = "objects.csv",
};

enum {
	LINE_MAX_BYTES = 128, /* of a line as it is shown or read */
	INPUT = 64 << 10,
};

static float as_float(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static int show_cell(char *text, size_t room, enum column column, bool real, uint32_t v)
{
	if (column != COORDINATE)
		return snprintf(text, room, "%" PRIu32, v);
	/* Nine digits tell all floats apart. */
	if (real)
		return snprintf(text, room, "%.9g", (double)as_float(v));
	return snprintf(text, room, "%" PRIi32, (int32_t)v);
}

static size_t show_header(enum tcm_table t, char line[LINE_MAX_BYTES])
{
	return (size_t)snprintf(
		line, LINE_MAX_BYTES, "%s,%s\n", tables[t].names[0], tables[t].names[1]);
}

static size_t show_record(
	enum tcm_table t, bool real, const struct tcm_record *r, char line[LINE_MAX_BYTES])
{
	int n = show_cell(line, LINE_MAX_BYTES / 2, tables[t].columns[0], real, r->v[0]);

	line[n++] = ',';
	n += show_cell(line + n, LINE_MAX_BYTES / 2 - 1, tables[t].columns[1], real, r->v[1]);
	line[n++] = '\n';
	return (size_t)n;
}

struct tcm_list *tcm_list_new(enum tcm_table table, bool real, const void *records, size_t n)
{
	struct tcm_list *l = calloc(1, sizeof(*l) + n * sizeof(l->records[0]));
	char line[LINE_MAX_BYTES];

	if (l)
		l->marks = calloc(n / TCM_MARK + 1, sizeof(*l->marks));
	if (!l || !l->marks) {
		free(l);
		return NULL;
	}
	atomic_init(&l->refs, 1);
	l->n = n;
	if (records && n)
		memcpy(l->records, records, n * sizeof(l->records[0]));
	l->text_size = show_header(table, line);
	l->marks[0] = l->text_size;
	for (size_t i = 0; i < n; i++) {
		if (i % TCM_MARK == 0)
			l->marks[i / TCM_MARK] = l->text_size;
		l->text_size += show_record(table, real, &l->records[i], line);
	}
	return l;
}

struct tcm_list *tcm_list_ref(struct tcm_list *l)
{
	if (l)
		atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed);
	return l;
}

void tcm_list_unref(struct tcm_list *l)
{
	if (!l || atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1)
		return;
	free(l->marks);
	free(l);
}

bool tcm_list_same(const struct tcm_list *a, const struct tcm_list *b)
{
	return a == b ||
	       (a->n == b->n && memcmp(a->records, b->records, a->n * sizeof(a->records[0])) == 0);
}

/* The part of a line at `at` that lies within the n bytes from off. */
static void copy_part(
	uint64_t at, const char *line, size_t len, uint64_t off, uint8_t *dst, size_t n)
{
	uint64_t from = at > off ? at : off;
	uint64_t to = at + len < off + n ? at + len : off + n;

	if (from < to)
		memcpy(dst + (from - off), line + (from - at), (size_t)(to - from));
}

void tcm_list_get(const struct tcm_list *l, enum tcm_table table, bool real, uint64_t off,
	uint8_t *dst, size_t n)
{
	size_t low = 0, high = l->n / TCM_MARK + (l->n % TCM_MARK != 0);
	char line[LINE_MAX_BYTES];
	uint64_t at;

	copy_part(0, line, show_header(table, line), off, dst, n);
	if (l->n == 0)
		return;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (l->marks[mid] <= off)
			low = mid;
		else
			high = mid;
	}
	at = l->marks[low];
	for (size_t i = low * TCM_MARK; i < l->n && at < off + n; i++) {
		size_t len = show_record(table, real, &l->records[i], line);

		copy_part(at, line, len, off, dst, n);
		at += len;
	}
}

/* A table that is read, a line at a time. */
struct reading {
	enum tcm_table table;
	bool real;
	int64_t max_index;
	size_t n_points;
	struct error *e;
	struct buffer records;
	uint64_t line;
	size_t len;
	char text[LINE_MAX_BYTES];
};

static int refuse(const struct reading *p, int column, const char *cell, const char *what)
{
	return error_set(p->e, -EINVAL, "line %" PRIu64 ", column %d: %s%s%s", p->line, column + 1,
		cell, *cell ? " " : "", what);
}

static int refuse_range(
	const struct reading *p, int column, const char *cell, int64_t min, int64_t max)
{
	char what[64];

	snprintf(what, sizeof(what), "is not %" PRIi64 "..%" PRIi64, min, max);
	return refuse(p, column, cell, what);
}

static int take_float(const struct reading *p, int column, const char *cell, uint32_t *ret)
{
	char *end;
	float f;

	if (cell[strspn(cell, "0123456789+-.eE")])
		return refuse(p, column, cell, "is not a number");
	f = strtof(cell, &end);
	if (*end || end == cell)
		return refuse(p, column, cell, "is not a number");
	if (!isfinite(f))
		return refuse(p, column, cell, "does not fit a 32-bit float");
	memcpy(ret, &f, sizeof(f));
	return 0;
}

static int take_int(const struct reading *p, int column, const char *cell, uint32_t *ret)
{
	enum column kind = tables[p->table].columns[column];
	int64_t min = kind == COORDINATE ? INT32_MIN : 0, value;
	int64_t max = kind == COORDINATE ? INT32_MAX : kind == U16 ? UINT16_MAX : UINT32_MAX;
	const char *digits = cell + (*cell == '-');
	char *end;

	if (*digits < '0' || *digits > '9')
		return refuse(p, column, cell, "is not a whole number");
	errno = 0;
	value = strtoll(cell, &end, 10);
	if (*end)
		return refuse(p, column, cell, "is not a whole number");
	if (errno || value < min || value > max)
		return refuse_range(p, column, cell, min, max);
	*ret = (uint32_t)value;
	return 0;
}

static int take_cell(const struct reading *p, int column, const char *cell, uint32_t *ret)
{
	char what[96];
	int r;

	if (!*cell)
		return refuse(p, column, cell, "there is no number");
	if (p->real && tables[p->table].columns[column] == COORDINATE)
		return take_float(p, column, cell, ret);
	r = take_int(p, column, cell, ret);
	if (r < 0 || p->table != TCM_TERRAIN || column != 0 || *ret <= p->max_index)
		return r;
	snprintf(what, sizeof(what), "is beyond the points (points.csv has %zu, counted from 0)",
		p->n_points);
	return refuse(p, column, cell, what);
}

/* Blanks around a cell and a pair of quotes do not count. Returns the begin; the end is cut. */
static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	for (n = strlen(s); n && (s[n - 1] == ' ' || s[n - 1] == '\t'); n--)
		;
	s[n] = '\0';
	if (n >= 2 && s[0] == '"' && s[n - 1] == '"') {
		s[n - 1] = '\0';
		return trim(s + 1);
	}
	return s;
}

/* Cuts the line into its two cells. */
static int split(struct reading *p, char *cells[2])
{
	char *comma = strchr(p->text, ','), *second = comma ? strchr(comma + 1, ',') : NULL;

	if (!comma)
		return refuse(p, 1, "", "is missing (a line has 2 columns)");
	if (second)
		return refuse(p, 2, "", "is too many (a line has 2 columns)");
	*comma = '\0';
	cells[0] = trim(p->text);
	cells[1] = trim(comma + 1);
	return 0;
}

static int end_line(struct reading *p)
{
	struct tcm_record record;
	char *cells[2];
	int r = 0;

	p->line++;
	if (p->len && p->text[p->len - 1] == '\r')
		p->len--;
	p->text[p->len] = '\0';
	p->len = 0;
	if (p->line > 1 && !p->text[strspn(p->text, " \t")])
		return 0;
	r = split(p, cells);
	for (int i = 0; r == 0 && i < 2; i++) {
		if (p->line > 1)
			r = take_cell(p, i, cells[i], &record.v[i]);
		else if (strcmp(cells[i], tables[p->table].names[i]) != 0)
			return error_set(p->e, -EINVAL,
				"line 1, column %d: the header is \"%s,%s\"", i + 1,
				tables[p->table].names[0], tables[p->table].names[1]);
	}
	if (r < 0 || p->line == 1)
		return r;
	if (p->records.size / sizeof(record) >= TCM_FILE_MAX / 8)
		return error_set(p->e, -EINVAL, "line %" PRIu64 ": too many records (at most %d)",
			p->line, TCM_FILE_MAX / 8);
	buffer_append(&p->records, &record, sizeof(record));
	return p->records.error ? error_set(p->e, -ENOMEM, "no memory for the table") : 0;
}

static int take_char(struct reading *p, char c)
{
	if (c == '\n')
		return end_line(p);
	if (p->len + 1 >= sizeof(p->text))
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 ", column 1: the line is too long (at most %zu bytes)",
			p->line + 1, sizeof(p->text) - 1);
	if (c == '\0') {
		p->line++;
		return refuse(p, 0, "", "a NUL byte");
	}
	p->text[p->len++] = c;
	return 0;
}

static int read_text(struct reading *p, const struct extent *in)
{
	CLEANUP(free) char *text = malloc(INPUT);
	int r = text ? 0 : error_set(p->e, -ENOMEM, "no memory to read the table");

	for (uint64_t off = 0; r == 0 && off < in->size; off += INPUT) {
		size_t n = in->size - off < INPUT ? (size_t)(in->size - off) : INPUT;

		r = extent_read(in, off, text, n, p->e);
		for (size_t i = 0; r == 0 && i < n; i++)
			r = take_char(p, text[i]);
	}
	return r == 0 && p->len ? end_line(p) : r;
}

int tcm_list_parse(const struct tcm_map *m, enum tcm_table table, const struct extent *in,
	struct tcm_list **ret, struct error *e)
{
	struct reading p = {.table = table, .real = m->variant.real, .e = e};
	const struct tcm_list *old = m->lists[table];
	struct tcm_list *l;
	size_t at;
	int r;

	p.n_points = m->lists[TCM_POINTS]->n;
	/* A fault that the map has already may stay. */
	p.max_index = tcm_max_index(m, &at);
	if (p.max_index < (int64_t)p.n_points - 1)
		p.max_index = (int64_t)p.n_points - 1;
	r = read_text(&p, in);
	if (r == 0) {
		l = tcm_list_new(
			table, p.real, p.records.data, p.records.size / sizeof(struct tcm_record));
		if (!l)
			r = error_set(e, -ENOMEM, "no memory for the table");
		else if (old && tcm_list_same(old, l))
			tcm_list_unref(l);
		else
			*ret = l;
	}
	buffer_finish_free(&p.records);
	return r;
}
