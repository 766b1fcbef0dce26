/* SPDX-License-Identifier: Zlib */
/* unite: merge the rows of the stored index with those derived from its sources. */
#include <errno.h>
#include <string.h>

#include "tools/torchlight/index/listed.h"

void row_split(struct str line, struct row *ret)
{
	*ret = (struct row){.line = line};
	for (unsigned i = 0; i < ROW_CELLS && line.s; i++)
		ret->cells[i] = str_cut(&line, '\t');
}

/* The number of cells in a row. If the index has several lists, the first cell names the list. */
static unsigned row_cells(const struct raw_kind *kind)
{
	return kind->n_columns + (kind->sections ? 1 : 0);
}

static const char *row_column(const struct raw_kind *kind, unsigned cell)
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

struct uniting {
	struct listed *l;
	const struct index_options *how;
	struct buffer table; /* the result */
	size_t next;         /* the first job that put_new has not visited yet */
};

static void report_row(struct uniting *u, enum index_event what, struct str path, struct str why)
{
	CLEANUP_BUFFER struct buffer line = BUFFER_INIT;

	buffer_str(&line, path);
	if (why.n)
		buffer_text(&line, ": ");
	buffer_str(&line, why);
	buffer_byte(&line, 0);
	if (!line.error)
		u->how->say(u->how->arg, what, u->l->index->path, (const char *)line.data);
}

static void put_row(struct uniting *u, struct str line)
{
	buffer_str(&u->table, line);
	buffer_byte(&u->table, '\n');
}

/* Append the rows of new jobs that sort up to path; NULL: of all remaining new jobs. */
static void put_new(struct uniting *u, const struct str *path)
{
	for (; u->next < u->l->n_jobs; u->next++) {
		struct job *j = &u->l->jobs[u->next];

		if (path && sources_compare(j->file->path, *path) > 0)
			break;
		if (j->old)
			continue;
		if (j->unread.code) {
			report_row(u, INDEX_UNREAD, j->file->path, str_of(error_text(&j->unread)));
		} else if (!j->refusal) {
			put_row(u, str_of_buffer(&j->line));
			report_row(u, INDEX_ADDED, j->file->path, STR(""));
			if (j->lacking.size)
				report_row(u, INDEX_LACKING, j->file->path,
					str_of_buffer(&j->lacking));
		}
	}
}

static void put_changed(struct uniting *u, struct job *j)
{
	CLEANUP_BUFFER struct buffer how = BUFFER_INIT;
	const struct raw_kind *kind = u->l->kind;
	struct row now;

	row_split(str_of_buffer(&j->line), &now);
	put_row(u, now.line);
	if (str_equal(now.line, j->old->line))
		return;
	for (unsigned i = 0; i < row_cells(kind); i++) {
		struct str a = j->old->cells[i], b = now.cells[i];

		if (!str_equal(a, b))
			buffer_printf(&how, "%s%s %.*s -> %.*s", how.size ? ", " : "",
				row_column(kind, i), STR_ARGS(a), STR_ARGS(b));
	}
	report_row(u, INDEX_CHANGED, j->file->path, str_of_buffer(&how));
}

static void put_old(struct uniting *u, const struct row *row, struct job *j)
{
	struct str path = row->cells[row_file_cell(u->l->kind)];

	if (!j && u->how->is_exact) {
		report_row(u, INDEX_REMOVED, path, STR("not in the archive"));
	} else if (!j) {
		put_row(u, row->line);
		report_row(u, INDEX_KEPT, path, STR("not in the archive"));
	} else if (j->old != row) {
		report_row(u, INDEX_REMOVED, path, STR("listed twice"));
	} else if (j->unread.code) {
		put_row(u, row->line);
		report_row(u, INDEX_UNREAD, path, str_of(error_text(&j->unread)));
	} else if (j->refusal) {
		report_row(u, INDEX_REMOVED, path, str_of(j->refusal));
	} else {
		put_changed(u, j);
	}
}

static void put_header(struct uniting *u)
{
	unsigned n = row_cells(u->l->kind);

	for (unsigned i = 0; i < n; i++)
		buffer_printf(
			&u->table, "%s%c", row_column(u->l->kind, i), i + 1 < n ? '\t' : '\n');
}

/* Encode the table as an index. *ret is left alone if the stored index is the same. */
static int encode_table(struct uniting *u, struct bytes **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const struct bytes *stored = u->l->stored;
	int r = u->table.error;

	if (r == 0)
		r = rawindex_encode(
			u->l->kind, (const char *)u->table.data, u->table.size, &out, e);
	if (r < 0)
		return error_context(e, "cannot make %s", u->l->index->path), r;
	if (stored && str_equal(str_of_bytes(stored), str_of_buffer(&out)))
		return 0;
	return buffer_finish(&out, ret);
}

int listed_merge(
	struct listed *l, const struct index_options *how, struct bytes **ret, struct error *e)
{
	struct uniting u = {.l = l, .how = how};
	unsigned file = row_file_cell(l->kind);
	size_t header;
	int r;

	put_header(&u);
	header = u.table.size;
	for (size_t i = 0; i < l->n_rows; i++) {
		put_new(&u, &l->rows[i].row.cells[file]);
		put_old(&u, &l->rows[i].row, l->rows[i].job);
	}
	put_new(&u, NULL);
	*ret = NULL;
	/* Do not create an index without rows. */
	r = l->stored || u.table.size > header ? encode_table(&u, ret, e) : 0;
	buffer_finish_free(&u.table);
	return r == -ENOMEM ? error_set(e, r, "out of memory") : r;
}
