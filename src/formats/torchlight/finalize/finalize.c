/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/finalize/finalize.h"

#include <errno.h>
#include <string.h>

#include "base/refs.h"
#include "formats/torchlight/finalize/plan.h"
#include "formats/torchlight/model/kit.h"

/* MOD.DAT is the header, unless somebody wrote another one. */
static int take_kit(struct finalizing *st, struct tl_map *m)
{
	CLEANUP(modheader_free) struct mod_header *h = NULL;
	CLEANUP_BUFFER struct buffer other = BUFFER_INIT;

	if (st->kit_removed)
		bytes_unref(TAKE(m->kit));
	if (!m->kit)
		return 0;
	h = tl_header_copy(m->header->h);
	if (!h || kit_read(m->kit, h, NULL) < 0)
		return -ENOMEM;
	st->kit = tl_header_new(TAKE(h));
	if (!st->kit)
		return -ENOMEM;
	kit_differences(m->header->h, st->kit->h, &other);
	if (other.size && !m->header_written) {
		tl_header_unref(m->header);
		m->header = tl_header_ref(st->kit);
	}
	return other.error;
}

static int finalize_all(
	struct finalizing *st, struct tl_map *m, const struct placement *p, size_t n)
{
	struct bytes *removed = NULL;
	int r = tl_finalize_begin(st, p, n);

	if (r == 0)
		r = take_kit(st, m);
	if (r == 0)
		r = tl_finalize_removed(st, &removed);
	if (r == 0) {
		bytes_unref(m->removed);
		m->removed = removed;
	}
	if (r == 0)
		r = tl_finalize_empty(st);
	if (r == 0)
		r = tl_finalize_table(st);
	if (r == 0 && st->error)
		r = st->error;
	if (r == 0) {
		tl_table_unref(m->table);
		m->table = TAKE(st->table);
	}
	return r;
}

/* A file that was made and never got any content is in no archive. */
static void mark_absent(const struct tl_map *m, struct placement *p, size_t n)
{
	uint64_t size, time;

	for (size_t i = 0; i < n; i++)
		p[i].absent = tl_kind_of(p[i].id) == TL_FILE &&
			      !tl_map_facts(m, tl_index(p[i].id), &size, &time);
}

int tl_finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	void (*say)(void *arg, const char *line), void *arg, struct error *e)
{
	struct tl_map *m = tl_map_copy(tl_map_of(s));
	CLEANUP(snapshot_unref) struct snapshot *done = m ? &m->snapshot : NULL;
	struct finalizing st = {.m = tl_map_of(s), .sh = tl_map_of(s)->shared};
	int r = m ? finalize_all(&st, m, p, n) : -ENOMEM;

	if (r == 0) {
		st.m = m;
		st.table = m->table;
		tl_finalize_say(&st, say, arg);
		mark_absent(m, p, n);
		st.table = NULL;
		*ret = TAKE(done);
	}
	tl_finalize_finish(&st);
	return r < 0 ? error_set(e, r, "no memory for the archive's new table") : 0;
}

static uint64_t time_of(const struct tl_map *m, const struct tl_row *row)
{
	uint64_t size, filetime = 0;

	if (row->filetime)
		return row->filetime;
	return tl_map_facts(m, row->handle, &size, &filetime) ? filetime : 0;
}

static bool same_rows(const struct tl_map *a, const struct tl_table *x, const struct tl_map *b,
	const struct tl_table *y)
{
	for (uint32_t i = 0; i < x->n_rows; i++) {
		const struct tl_row *p = &x->rows[i], *q = &y->rows[i];

		if (p->handle != q->handle || p->type != q->type || !str_equal(p->name, q->name))
			return false;
		if (p->handle != TL_NONE &&
			(tl_map_file(a, p->handle) != tl_map_file(b, q->handle) ||
				time_of(a, p) != time_of(b, q)))
			return false;
	}
	return true;
}

static bool same_tables(const struct tl_map *a, const struct tl_map *b)
{
	CLEANUP(tl_table_unref) struct tl_table *x = NULL, *y = NULL;

	if (tl_table_of(a, &x, NULL) < 0 || tl_table_of(b, &y, NULL) < 0 ||
		x->n_records != y->n_records || x->n_rows != y->n_rows)
		return false;
	for (uint32_t i = 0; i < x->n_records; i++)
		if (x->records[i].first != y->records[i].first ||
			x->records[i].n != y->records[i].n ||
			!str_equal(x->records[i].path, y->records[i].path))
			return false;
	return same_rows(a, x, b, y);
}

bool tl_same(const struct snapshot *sa, const struct snapshot *sb)
{
	const struct tl_map *a = tl_map_of(sa), *b = tl_map_of(sb);

	/* Of one that is being made there is no file yet. */
	if (a->base != b->base || a->header != b->header || !a->base->section.size)
		return false;
	/* The next base has to know what texts taught, and MOD.DAT. */
	if (a->names != b->names || !bytes_same(a->kit, b->kit))
		return false;
	if (a->removed->size != b->removed->size ||
		(a->removed->size &&
			memcmp(a->removed->data, b->removed->data, a->removed->size) != 0))
		return false;
	return same_tables(a, b);
}
