/* SPDX-License-Identifier: Zlib */
/*
 * Where the text of each row begins is found without writing it: a row's text is as long as that of
 * one of zeros, and longer by the further digits of its numbers and the names in it.
 */
#include "formats/teeworlds/lens/rows.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

enum { EVERY = 256 /* rows between two that are remembered */, NAMED_MAX = 4 };

/* Counted from where the first one's text begins. */
struct offsets {
	uint64_t key;
	uint64_t off[]; /* of the rows 0, EVERY, 2 * EVERY ... */
};

/* A reference, or what has words, as it was written last: lists mostly name few envelopes. */
struct named {
	const struct tw_key *key;
	int32_t value;
	uint64_t length;
};

struct measuring {
	const struct tw_rows *rows;
	const struct jsonw *before; /* the writer that comes to the array */
	uint64_t first, zeros;      /* of a row of zeros: the first and others */
	uint32_t n_named;
	struct named named[NAMED_MAX];
};

static size_t n_offsets(const struct tw_rows *rows)
{
	return (rows->n - 1) / EVERY + 1;
}

static void write_row(struct jsonw *w, const struct tw_rows *rows, int32_t *v)
{
	struct tw_record rec = {.keys = rows->keys, .v = v, .n = rows->ints};

	jsonw_object(w);
	tw_record_write(w, rows->m, &rec);
	jsonw_end(w);
}

static uint64_t length_of_name(const struct measuring *o, const struct tw_key *key, int32_t value)
{
	struct jsonw w;

	jsonw_to_nowhere(&w);
	if (key->ref != TW_REF_NONE)
		tw_ref_write(&w, o->rows->m, key->ref, value);
	else
		jsonw_word(&w, key->words, value);
	return w.size;
}

/* An array of two rows of zeros, as the writer makes it. */
static void begin(struct measuring *o)
{
	int32_t v[TW_ROW_MAX] = {0};
	struct jsonw w;
	uint64_t at[2];

	jsonw_to_nowhere_after(&w, o->before);
	jsonw_array(&w);
	at[0] = w.size;
	write_row(&w, o->rows, v);
	at[1] = w.size;
	write_row(&w, o->rows, v);
	o->first = at[1] - at[0];
	o->zeros = w.size - at[1];
	for (const struct tw_key *key = o->rows->keys; key->name; key++) {
		uint64_t length;

		if (key->ref == TW_REF_NONE && !key->words)
			continue;
		length = length_of_name(o, key, 0);
		o->named[o->n_named++] = (struct named){key, 0, length};
		o->first -= length;
		o->zeros -= length;
	}
}

/* Digits beside the first, and the sign. */
static uint32_t further(int32_t v)
{
	uint32_t u = v < 0 ? -(uint32_t)v : (uint32_t)v;

	return (uint32_t)(v < 0) + (u >= 10) + (u >= 100) + (u >= 1000) + (u >= 10000) +
	       (u >= 100000) + (u >= 1000000) + (u >= 10000000) + (u >= 100000000) +
	       (u >= 1000000000);
}

static uint64_t length_of(struct measuring *o, uint32_t i, const int32_t *v)
{
	uint64_t length = i ? o->zeros : o->first;

	for (uint32_t k = 0; k < o->rows->ints; k++)
		length += further(v[k]);
	for (uint32_t k = 0; k < o->n_named; k++) {
		struct named *n = &o->named[k];

		if (n->value != v[n->key->at]) {
			n->value = v[n->key->at];
			n->length = length_of_name(o, n->key, n->value);
		}
		length += n->length - further(n->value);
	}
	return length;
}

/* As budget_load_fn. */
static int measure(void *arg, struct bytes **ret, struct error *e)
{
	struct measuring *o = arg;
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	int32_t v[TW_ROW_MAX];
	uint64_t length = 0;
	struct offsets *p;
	uint8_t *data;
	int r = 0;

	b = bytes_new(sizeof(*p) + n_offsets(o->rows) * sizeof(p->off[0]), &data);
	if (!b)
		return error_set(e, -ENOMEM, "no memory for the offsets of a list");
	p = (struct offsets *)data;
	p->key = o->rows->key;
	begin(o);
	for (uint32_t i = 0; r == 0 && i < o->rows->n; i++) {
		if (i % EVERY == 0)
			p->off[i / EVERY] = length;
		r = o->rows->get(o->rows->arg, i, v, e);
		if (r == 0)
			length += length_of(o, i, v);
	}
	if (r == 0)
		*ret = TAKE(b);
	return r;
}

/* Goes on at the last remembered row that begins at off or before. */
static int skip(struct jsonw *w, const struct jsonw *before, const struct tw_rows *rows,
	uint64_t off, uint32_t *ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct measuring o = {.rows = rows, .before = before};
	uint64_t first = w->size;
	const struct offsets *p;
	size_t at;
	int r = blob_derive(rows->blob, rows->key, measure, &o, &b, e);

	if (r < 0)
		return r;
	p = (const struct offsets *)b->data;
	at = array_first(i, n_offsets(rows) - 1, p->off[i + 1] > off - first);
	if (at) {
		/* So that the writer knows of one before. */
		jsonw_object(w);
		jsonw_end(w);
		w->size = first + p->off[at];
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
		r = skip(w, &before, rows, off, &i, e);
	for (; r == 0 && i < rows->n && !jsonw_done(w); i++) {
		r = rows->get(rows->arg, i, v, e);
		if (r == 0)
			write_row(w, rows, v);
	}
	if (r == 0 && i == rows->n)
		jsonw_end(w);
	return r;
}

int tw_rows_read(const struct json_at *at, const struct tw_rows *old, uint32_t i,
	const struct tw_naming *names, int32_t *v, struct error *e)
{
	const struct tw_record rec = {.keys = old->keys, .v = v, .n = old->ints};
	int r = tw_record_expect(at, old->keys, NULL, e);

	if (r == 0 && i < old->n)
		r = old->get(old->arg, i, v, e);
	else if (r == 0)
		tw_record_reset(&rec);
	return r < 0 ? r : tw_record_read(at, names, &rec, e);
}
