/* SPDX-License-Identifier: Zlib */
#include "tools/torchlight/index/listed.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/threads/parallel.h"

/* Read the stored index, which is binary, or a table if it was packed as text. */
static int read_table(struct listed *l, struct error *e)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT, made = BUFFER_INIT;
	struct error why = ERROR_INIT;
	int r = rawindex_decode(l->kind, l->stored->data, l->stored->size, &l->table, NULL);

	if (r == 0 || r == -ENOMEM)
		return r;
	l->table.size = 0;
	r = textform_read(l->stored->data, l->stored->size, &text, &why);
	if (r == 0)
		r = rawindex_encode(l->kind, (const char *)text.data, text.size, &made, &why);
	if (r == 0)
		r = rawindex_decode(l->kind, made.data, made.size, &l->table, &why);
	return r < 0 && r != -ENOMEM ? error_set(e, -EINVAL, "%s is not an index: %s",
					       l->index->path, error_text(&why))
				     : r;
}

static int read_rows(struct listed *l, struct error *e)
{
	const struct source_file *f = sources_find(l->sources, str_of(l->index->path));
	struct str rest;
	int r = f ? source_load(l->sources, f, &l->stored, e) : 0;

	if (!f || r < 0)
		return r;
	r = read_table(l, e);
	rest = str_of_buffer(&l->table);
	str_cut(&rest, '\n');
	while (r == 0 && rest.n) {
		if (!array_reserve(l->rows, l->n_rows, l->room))
			return -ENOMEM;
		l->rows[l->n_rows].job = NULL;
		row_split(str_cut(&rest, '\n'), &l->rows[l->n_rows++].row);
	}
	return r;
}

void listed_finish(struct listed *l)
{
	for (size_t i = 0; i < l->n_jobs; i++) {
		buffer_finish_free(&l->jobs[i].line);
		buffer_finish_free(&l->jobs[i].lacking);
	}
	free(l->jobs);
	free(l->rows);
	buffer_finish_free(&l->table);
	bytes_unref(l->stored);
}

static bool is_listed(const struct index_kind *k, struct str path)
{
	struct str below = str_of(k->below), ending = str_of(k->ending);

	return path.n > below.n + ending.n && str_equal((struct str){path.s, below.n}, below) &&
	       str_equal((struct str){path.s + path.n - ending.n, ending.n}, ending);
}

static int add_jobs(struct listed *l)
{
	for (size_t i = 0; i < l->sources->n; i++) {
		if (!is_listed(l->index, l->sources->all[i].path))
			continue;
		if (!array_reserve(l->jobs, l->n_jobs, l->room_jobs))
			return -ENOMEM;
		l->jobs[l->n_jobs++] = (struct job){.file = &l->sources->all[i]};
	}
	return 0;
}

static int compare_job(const void *key, const void *x)
{
	return sources_compare(*(const struct str *)key, ((const struct job *)x)->file->path);
}

/* Assign each row its job, and each job its first row. */
static void match_rows(struct listed *l)
{
	unsigned file = row_file_cell(l->kind);

	for (size_t i = 0; l->n_jobs && i < l->n_rows; i++) {
		struct listed_row *row = &l->rows[i];
		struct job *j =
			bsearch(&row->row.cells[file], l->jobs, l->n_jobs, sizeof(*j), compare_job);

		row->job = j;
		if (j && !j->old)
			j->old = &row->row;
	}
}

/* Derive the row of one job. If its file cannot be read, set job.unread: the old row stays. */
static int derive_row(void *arg, size_t i, struct error *e)
{
	const struct listed *l = arg;
	struct job *j = &l->jobs[i];
	struct source_text text = {0};
	int r;

	if (l->only_new && j->old)
		return 0;
	r = source_read(l->sources, j->file, &text, &j->unread);
	if (r == 0) {
		j->root = text.tree->root;
		r = l->index->derive(l->sources, j);
	}
	if (r == 0)
		r = j->line.error;
	source_text_finish(&text);
	return r == -ENOMEM ? error_set(e, r, "out of memory") : 0;
}

int listed_begin(struct listed *l, const struct index_kind *index, const struct sources *s,
	bool only_new, struct error *e)
{
	int r;

	*l = (struct listed){.index = index,
		.kind = raw_kind_find(index->name),
		.sources = s,
		.only_new = only_new};
	r = add_jobs(l);
	if (r == 0)
		r = read_rows(l, e);
	if (r < 0)
		return r == -ENOMEM ? error_set(e, r, "out of memory") : r;
	match_rows(l);
	return parallel_each(l->n_jobs, derive_row, l, e);
}
