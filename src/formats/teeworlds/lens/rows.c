/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/rows.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

enum { EVERY = 256 /* rows between two offsets that are kept */ };

/* Offsets of rows in the text, relative to the first row. */
struct offsets {
	uint64_t key;
	uint64_t rows[]; /* offsets of the rows 0, EVERY, 2 * EVERY and so on */
};

struct row_measurement {
	const struct tw_rows *rows;
	const struct jsonw *before; /* the writer's state before the array */
};

static size_t n_offsets(const struct tw_rows *rows)
{
	return (rows->n - 1) / EVERY + 1;
}

static void write_json_row(struct jsonw *w, const struct tw_rows *rows, int32_t *v)
{
	struct tw_record rec = {.keys = rows->keys, .v = v, .n = rows->n_ints};

	jsonw_object(w);
	tw_record_write(w, rows->m, &rec);
	jsonw_end(w);
}

/* Format all rows and find their offsets; a budget_load_fn. */
static int measure_rows(void *arg, struct bytes **ret, struct error *e)
{
	const struct row_measurement *o = arg;
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	int32_t v[TW_ROW_MAX];
	struct offsets *p;
	struct jsonw w;
	uint64_t first;
	uint8_t *data;
	int r = 0;

	b = bytes_new(sizeof(*p) + n_offsets(o->rows) * sizeof(p->rows[0]), &data);
	if (!b)
		return error_set(e, -ENOMEM, "out of memory");
	p = (struct offsets *)data;
	p->key = o->rows->key;
	jsonw_to_nowhere_after(&w, o->before);
	jsonw_array(&w);
	first = w.size;
	for (uint32_t i = 0; r == 0 && i < o->rows->n; i++) {
		if (i % EVERY == 0)
			p->rows[i / EVERY] = w.size - first;
		r = o->rows->get(o->rows->arg, i, v, e);
		if (r == 0)
			write_json_row(&w, o->rows, v);
	}
	if (r == 0)
		*ret = TAKE(b);
	return r;
}

/* Skip to the last row with a kept offset that begins at or before off. */
static int skip_rows(struct jsonw *w, const struct jsonw *before, const struct tw_rows *rows,
	uint64_t off, uint32_t *ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct row_measurement o = {.rows = rows, .before = before};
	uint64_t first = w->size;
	const struct offsets *p;
	size_t at;
	int r = blob_derive(rows->blob, rows->key, measure_rows, &o, &b, e);

	if (r < 0)
		return r;
	p = (const struct offsets *)b->data;
	at = array_bisect(i, n_offsets(rows) - 1, p->rows[i + 1] > off - first);
	if (at) {
		/* Write one element, so that the writer puts a comma before the next. */
		jsonw_object(w);
		jsonw_end(w);
		w->size = first + p->rows[at];
	}
	*ret = (uint32_t)at * EVERY;
	return 0;
}

int tw_rows_write(struct jsonw *w, const struct tw_rows *rows, uint64_t off, struct error *e)
{
	const struct jsonw before = *w;
	int32_t v[TW_ROW_MAX];
	uint32_t i = 0;
	int r = 0;

	jsonw_array(w);
	if (rows->n > TW_ROWS_AT_ONCE && off > w->size)
		r = skip_rows(w, &before, rows, off, &i, e);
	for (; r == 0 && i < rows->n && !jsonw_done(w); i++) {
		r = rows->get(rows->arg, i, v, e);
		if (r == 0)
			write_json_row(w, rows, v);
	}
	if (r == 0 && i == rows->n)
		jsonw_end(w);
	return r;
}

int tw_rows_read(const struct json_at *at, const struct tw_rows *old, uint32_t i,
	const struct tw_naming *names, int32_t *v, bool *ret_differs, struct error *e)
{
	const struct tw_record rec = {.keys = old->keys, .v = v, .n = old->n_ints};
	int32_t old_row[TW_ROW_MAX];
	int r = tw_record_expect(at, old->keys, NULL, e);

	if (r == 0 && i < old->n)
		r = old->get(old->arg, i, v, e);
	else if (r == 0)
		tw_record_reset(&rec);
	if (r < 0)
		return r;
	memcpy(old_row, v, old->n_ints * sizeof(*v));
	r = tw_record_read(at, names, &rec, e);
	*ret_differs |= i >= old->n || memcmp(old_row, v, old->n_ints * sizeof(*v)) != 0;
	return r;
}
