/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/index/listed.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

/* What the archive holds is an index, or, where it was packed so, the table of one. */
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
	return r < 0 && r != -ENOMEM
		       ? error_set(e, -EINVAL, "%s is no index: %s", l->path, error_text(&why))
		       : r;
}

static struct str next_line(struct str *rest)
{
	const char *lf = rest->n ? memchr(rest->s, '\n', rest->n) : NULL;
	struct str line = {rest->s, lf ? (size_t)(lf - rest->s) : rest->n};
	size_t used = line.n + (lf ? 1 : 0);

	rest->s += used;
	rest->n -= used;
	return line;
}

int listed_open(
	struct listed *l, const struct sources *s, const struct source_file *f, struct error *e)
{
	struct str rest;
	int r = f ? source_load(s, f, &l->stored, e) : 0;

	if (!f || r < 0)
		return r;
	r = read_table(l, e);
	if (r < 0)
		return r == -ENOMEM ? error_set(e, r, "no memory for %s", l->path) : r;
	rest = (struct str){(const char *)l->table.data, l->table.size};
	next_line(&rest);
	while (rest.n) {
		if (!array_room(l->rows, l->n_rows, l->room))
			return error_set(e, -ENOMEM, "no memory for %s", l->path);
		row_split(next_line(&rest), &l->rows[l->n_rows++]);
	}
	return 0;
}

void listed_finish(struct listed *l)
{
	for (size_t i = 0; i < l->n_jobs; i++)
		derived_finish(&l->jobs[i].derived);
	free(l->jobs);
	free(l->rows);
	free(l->row_jobs);
	buffer_finish_free(&l->table);
	bytes_unref(l->stored);
}

int listed_job(struct listed *l, const struct source_file *f)
{
	if (!array_room(l->jobs, l->n_jobs, l->room_jobs))
		return -ENOMEM;
	l->jobs[l->n_jobs++] = (struct job){.f = f};
	return 0;
}

static int compare(const void *key, const void *x)
{
	return sources_compare(*(const struct str *)key, ((const struct job *)x)->f->path);
}

int listed_match(struct listed *l)
{
	unsigned file = row_file_cell(l->kind);

	l->row_jobs = calloc(l->n_rows + 1, sizeof(*l->row_jobs));
	if (!l->row_jobs)
		return -ENOMEM;
	for (size_t i = 0; l->n_jobs && i < l->n_rows; i++) {
		struct job *j =
			bsearch(&l->rows[i].cells[file], l->jobs, l->n_jobs, sizeof(*j), compare);

		l->row_jobs[i] = j;
		if (j && !j->old)
			j->old = &l->rows[i];
	}
	return 0;
}
