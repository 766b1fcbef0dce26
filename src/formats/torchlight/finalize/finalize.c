/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/finalize/finalize.h"

#include <errno.h>
#include <string.h>

#include "base/refs.h"
#include "formats/torchlight/finalize/plan.h"
#include "formats/torchlight/model/kit.h"

/* Take the header from MOD.DAT, unless info.json was written. */
static int take_kit(struct finalizer *st, struct tl_map *m)
{
	CLEANUP(modheader_unref) struct mod_header *h = NULL;
	CLEANUP_BUFFER struct buffer other = BUFFER_INIT;

	if (st->kit_removed)
		bytes_unref(TAKE(m->kit));
	if (!m->kit)
		return 0;
	h = modheader_copy(m->header);
	if (!h || kit_read(m->kit, h, NULL) < 0)
		return -ENOMEM;
	st->kit = TAKE(h);
	kit_differences(m->header, st->kit, &other);
	if (other.size && !m->header_written) {
		modheader_unref(m->header);
		m->header = modheader_ref(st->kit);
	}
	return other.error;
}

static int finalize_all(struct finalizer *st, struct tl_map *m, const struct placement *p, size_t n)
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
		r = tl_finalize_dirs(st);
	if (r == 0)
		r = tl_finalize_table(st);
	if (r == 0)
		m->table = st->table;
	return r;
}

/* A new file that never got content is in no archive. */
static void mark_absent(const struct tl_map *m, struct placement *p, size_t n)
{
	uint64_t size, time;

	for (size_t i = 0; i < n; i++)
		p[i].is_absent = tl_kind_of(p[i].id) == TL_FILE &&
				 !tl_map_facts(m, tl_index(p[i].id), &size, &time);
}

int tl_finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	format_say say, void *arg, struct error *e)
{
	struct tl_map *m = n == FORMAT_UNPLACED ? NULL : tl_map_copy(tl_map_of(s));
	CLEANUP(snapshot_unref) struct snapshot *done = m ? &m->snapshot : NULL;
	struct finalizer st = {.m = tl_map_of(s),
		.sh = tl_map_of(s)->shared,
		.old = tl_mounted(tl_map_of(s)),
		.say = say,
		.arg = arg};
	int r = m ? finalize_all(&st, m, p, n) : -ENOMEM;

	if (n == FORMAT_UNPLACED) {
		*ret = snapshot_ref(s);
		return 0;
	}
	if (r == 0) {
		st.m = m;
		if (say)
			tl_finalize_say(&st);
		mark_absent(m, p, n);
		st.table = NULL; /* m owns it now */
		*ret = TAKE(done);
	}
	tl_finalize_finish(&st);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}

static bool same_entries(const struct tl_map *a, const struct tl_map *b)
{
	const struct manifest *x = tl_manifest(a), *y = tl_manifest(b);

	for (uint32_t i = 0; i < x->n_entries; i++) {
		const struct manifest_entry *p = &x->entries[i], *q = &y->entries[i];

		if (p->handle != q->handle || p->type != q->type ||
			!str_equal(manifest_name(x, p), manifest_name(y, q)))
			return false;
		if (p->handle != MANIFEST_NO_FILE &&
			(tl_map_file(a, p->handle) != tl_map_file(b, q->handle) ||
				tl_time_of(a, p) != tl_time_of(b, q)))
			return false;
	}
	return true;
}

static bool same_manifests(const struct tl_map *a, const struct tl_map *b)
{
	const struct manifest *x = tl_manifest(a), *y = tl_manifest(b);

	if (x->n_records != y->n_records || x->n_entries != y->n_entries)
		return false;
	for (uint32_t i = 0; i < x->n_records; i++)
		if (x->records[i].n != y->records[i].n ||
			!str_equal(
				manifest_path(x, &x->records[i]), manifest_path(y, &y->records[i])))
			return false;
	return same_entries(a, b);
}

bool tl_same(const struct snapshot *sa, const struct snapshot *sb)
{
	const struct tl_map *a = tl_map_of(sa), *b = tl_map_of(sb);

	/* A new archive has no file yet. */
	if (a->shared != b->shared || a->header != b->header || !a->shared->archive->section.size)
		return false;
	/* The next base needs the taught names and MOD.DAT. */
	return a->names == b->names && bytes_equal(a->kit, b->kit) &&
	       bytes_equal(a->removed, b->removed) && same_manifests(a, b);
}
