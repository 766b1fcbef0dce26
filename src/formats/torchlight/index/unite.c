/* SPDX-License-Identifier: Zlib */
/* The rows that an index has and those that follow from its sources. */
#include <errno.h>

#include "formats/torchlight/index/listed.h"

struct uniting {
	struct listed *l;
	const struct index_making *how;
	struct buffer table; /* what comes out */
	size_t next;         /* the first job that has no row and no place yet */
};

static void say(struct uniting *u, enum index_said what, struct str path, const char *why)
{
	CLEANUP_BUFFER struct buffer line = BUFFER_INIT;

	buffer_str(&line, path);
	if (why)
		buffer_printf(&line, ": %s", why);
	buffer_byte(&line, 0);
	if (!line.error)
		u->how->say(u->how->arg, what, u->l->what->path, (const char *)line.data);
}

static struct str line_of(const struct job *j)
{
	return str_of_buffer(&j->derived.line);
}

static void put_row(struct uniting *u, struct str line)
{
	buffer_str(&u->table, line);
	buffer_byte(&u->table, '\n');
}

static void say_lacking(struct uniting *u, struct job *j)
{
	if (!j->derived.lacking.size)
		return;
	buffer_byte(&j->derived.lacking, 0);
	if (!j->derived.lacking.error)
		say(u, INDEX_LACKING, j->f->path, (const char *)j->derived.lacking.data);
}

/* Jobs without a row, up to one that stands behind path (NULL: all of them). */
static void put_new(struct uniting *u, const struct str *path)
{
	for (; u->next < u->l->n_jobs; u->next++) {
		struct job *j = &u->l->jobs[u->next];

		if (path && sources_compare(j->f->path, *path) > 0)
			break;
		if (j->old)
			continue;
		if (j->unread.code) {
			say(u, INDEX_UNREAD, j->f->path, error_text(&j->unread));
		} else if (!j->derived.why_not) {
			put_row(u, line_of(j));
			say(u, INDEX_ADDED, j->f->path, NULL);
			say_lacking(u, j);
		}
	}
}

static void put_changed(struct uniting *u, struct job *j)
{
	CLEANUP_BUFFER struct buffer how = BUFFER_INIT;
	const struct raw_kind *kind = u->l->kind;
	struct row now;

	row_split(line_of(j), &now);
	put_row(u, now.line);
	if (str_equal(now.line, j->old->line))
		return;
	for (unsigned i = 0; i < row_cells(kind); i++) {
		struct str a = j->old->cells[i], b = now.cells[i];

		if (!str_equal(a, b))
			buffer_printf(&how, "%s%s %.*s -> %.*s", how.size ? ", " : "",
				row_column(kind, i), STR_ARGS(a), STR_ARGS(b));
	}
	buffer_byte(&how, 0);
	say(u, INDEX_CHANGED, j->f->path, how.error ? NULL : (const char *)how.data);
}

static void put_old(struct uniting *u, struct row *row, struct job *j)
{
	struct str path = row->cells[row_file_cell(u->l->kind)];

	if (!j && u->how->exact) {
		say(u, INDEX_REMOVED, path, "it is not in the archive");
	} else if (!j) {
		put_row(u, row->line);
		say(u, INDEX_KEPT, path, "it is not in the archive");
	} else if (j->old != row) {
		say(u, INDEX_REMOVED, path, "it is listed twice");
	} else if (j->unread.code) {
		put_row(u, row->line);
		say(u, INDEX_UNREAD, path, error_text(&j->unread));
	} else if (j->derived.why_not) {
		say(u, INDEX_REMOVED, path, j->derived.why_not);
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

/* What the table is as an index; NULL: nothing is to be stored. */
static int encode(struct uniting *u, struct bytes **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const struct bytes *stored = u->l->stored;
	int r = u->table.error;

	if (r == 0)
		r = rawindex_encode(
			u->l->kind, (const char *)u->table.data, u->table.size, &out, e);
	if (r < 0)
		return r == -ENOMEM ? r : error_context(e, "%s cannot be made", u->l->what->path);
	if (stored && str_equal(str_of_bytes(stored), str_of_buffer(&out)))
		return 0;
	return buffer_finish(&out, ret);
}

int listed_unite(
	struct listed *l, const struct index_making *how, struct bytes **ret, struct error *e)
{
	struct uniting u = {.l = l, .how = how};
	unsigned file = row_file_cell(l->kind);
	size_t header;
	int r;

	put_header(&u);
	header = u.table.size;
	for (size_t i = 0; i < l->n_rows; i++) {
		put_new(&u, &l->rows[i].cells[file]);
		put_old(&u, &l->rows[i], l->row_jobs[i]);
	}
	put_new(&u, NULL);
	*ret = NULL;
	/* No rows make no index where there is none. */
	r = l->stored || u.table.size > header ? encode(&u, ret, e) : 0;
	buffer_finish_free(&u.table);
	return r == -ENOMEM ? error_set(e, r, "no memory for %s", l->what->path) : r;
}
