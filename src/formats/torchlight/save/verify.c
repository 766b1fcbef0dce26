/* SPDX-License-Identifier: Zlib */
/* An archive that was written: read back, and taken as the new place of what it holds. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/save/write.h"

static int open_written(
	const struct tl_map *m, const struct source *w, struct archive **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent first = extent_of_file(file_ref(w->files[0]), 0, w->sizes[0]);
	CLEANUP_EXTENT struct extent second = EXTENT_INIT;

	if (m->header)
		return archive_open_mod(&first, ret, e);
	if (w->n_files < 2)
		return error_set(e, -EIO, "the manifest was not written");
	second = extent_of_file(file_ref(w->files[1]), 0, w->sizes[1]);
	return archive_open_pak(&first, &second, ret, e);
}

static int compare_row(const struct tl_plan *p, const struct tl_row *row, const struct manifest *is,
	const struct manifest_entry *x, struct error *e)
{
	static const struct tl_spot none;
	const struct tl_spot *spot = row->handle == TL_NONE ? &none : &p->spots[row->handle];

	if (!str_equal(manifest_name(is, x), row->name) || x->type != row->type ||
		x->offset != spot->offset || x->usize != spot->usize || x->crc != spot->crc ||
		x->filetime != spot->filetime)
		return error_set(e, -EIO, "the entry %.*s is not what was written",
			row->name.n < 200 ? (int)row->name.n : 200, row->name.s);
	return 0;
}

static int compare_manifest(const struct tl_plan *p, const struct manifest *is, struct error *e)
{
	const struct tl_table *t = p->table;
	int r = 0;

	if (is->n_records != t->n_records || is->n_entries != t->n_rows)
		return error_set(e, -EIO,
			"the manifest has %" PRIu32 " directories and %" PRIu32
			" entries (written: %" PRIu32 " and %" PRIu32 ")",
			is->n_records, is->n_entries, t->n_records, t->n_rows);
	for (uint32_t i = 0; i < t->n_records; i++)
		if (!str_equal(t->records[i].path, manifest_path(is, &is->records[i])) ||
			t->records[i].n != is->records[i].n)
			return error_set(
				e, -EIO, "directory %" PRIu32 " is not what was written", i);
	for (uint32_t i = 0; r == 0 && i < t->n_rows; i++)
		r = compare_row(p, &t->rows[i], is, &is->entries[i], e);
	return r;
}

static int compare_piece(const struct tl_piece *p, const struct extent *section,
	const struct compared *compared, struct error *e)
{
	struct extent is = *section; /* borrowed */
	bool same = false;
	int r = 0;

	is.off += p->at;
	is.size = p->x.size;
	if (p->at <= section->size && is.size <= section->size - p->at) {
		if (compared_has(compared, &p->x, is.off))
			return 0;
		r = extent_equal(&p->x, &is, &same, e);
	}
	if (r == 0 && !same)
		r = error_set(e, -EIO, "bytes at %" PRIu64 " differ from what was meant", p->at);
	return r;
}

static int check_fresh(const struct tl_plan *p, const struct archive *a, struct error *e)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < p->table->n_rows; i++) {
		const struct tl_row *row = &p->table->rows[i];
		CLEANUP(bytes_unref) struct bytes *whole = NULL;

		if (row->handle == TL_NONE || !p->fresh[row->handle])
			continue;
		r = pak_load(&a->section, &a->manifest->entries[i], &whole, e);
		if (r < 0)
			error_context(
				e, "%.*s", row->name.n < 200 ? (int)row->name.n : 200, row->name.s);
	}
	return r;
}

int tl_verify(const struct snapshot *s, const struct plan *plan, const struct source *written,
	struct error *e)
{
	const struct tl_plan *p = (const struct tl_plan *)plan;
	CLEANUP(archive_free) struct archive *a = NULL;
	int r = open_written(tl_map_of(s), written, &a, e);

	if (r == 0 && a->section.size != p->size)
		r = error_set(e, -EIO, "the data have %" PRIu64 " bytes (written: %" PRIu64 ")",
			a->section.size, p->size);
	if (r == 0 && !a->hash_ok)
		r = error_set(e, -EIO, "the archive's hash is wrong");
	if (r == 0)
		r = compare_manifest(p, a->manifest, e);
	for (size_t i = 0; r == 0 && i < p->n_pieces; i++)
		r = compare_piece(&p->pieces[i], &a->section, written->compared[0], e);
	return r < 0 ? r : check_fresh(p, a, e);
}

static struct tl_base *base_of(
	const struct tl_map *m, const struct tl_plan *p, const struct archive *a)
{
	struct tl_base *b = tl_base_new(&a->section, p->header_size, p->n, m->shared->budget);

	for (uint32_t i = 0; b && i < p->n; i++)
		b->spots[i] = p->spots[i];
	if (b)
		b->n_removed = p->n_removed;
	return b;
}

/* What is not in the new archive: nothing refers to it in the version that was written, and in the
 * mount's own it may come back. */
static int leave_handle(
	struct tl_map *to, const struct tl_map *from, const struct tl_plan *p, uint32_t h)
{
	CLEANUP(tl_content_unref) struct tl_content *mine = NULL;
	struct tl_content *there;

	if (p->of == from)
		return tl_map_file(to, h) ? tl_map_set(to, h, NULL) : 0;
	if (tl_map_content(from, h, &mine, NULL) < 0)
		return 0;
	there = tl_content_retain(mine, from->shared->store);
	return there ? tl_map_set(to, h, there) : -ENOMEM;
}

/* What a handle has: from the new archive where that holds it, else as before. */
static int move_handle(struct tl_map *to, const struct tl_map *from, const struct tl_plan *p,
	uint32_t h, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *mine = tl_content_ref(tl_map_file(from, h));
	int r = 0;

	if (!p->spots[h].here)
		return leave_handle(to, from, p, h);

	if (!mine)
		mine = tl_base_peek(from->base, h);
	if (mine)
		r = tl_base_adopt(to->base, h, mine, e);
	if (r == 0 && tl_map_file(to, h))
		r = tl_map_set(to, h, NULL);
	return r == -EIO || r == -ENODATA ? 0 : r; /* broken it was copied */
}

int tl_rebase(const struct snapshot *s, const struct plan *plan, const struct source *written,
	struct snapshot **ret, struct error *e)
{
	const struct tl_plan *p = (const struct tl_plan *)plan;
	const struct tl_map *m = tl_map_of(s);
	struct tl_map *to = tl_map_copy(m);
	CLEANUP(snapshot_unref) struct snapshot *done = to ? &to->snapshot : NULL;
	CLEANUP(archive_free) struct archive *a = NULL;
	int r = 0;

	if (!to)
		return error_set(e, -ENOMEM, "no memory for another version of the archive");
	if (!*p->base) {
		r = open_written(m, written, &a, e);
		if (r == 0)
			*p->base = base_of(m, p, a);
		if (r == 0 && !*p->base)
			r = -ENOMEM;
	}
	if (r == 0) {
		tl_base_unref(to->base);
		to->base = tl_base_ref(*p->base);
		tl_header_unref(to->header);
		to->header = tl_header_ref(p->of->header);
	}
	for (uint32_t h = 0; r == 0 && h < p->n; h++)
		r = move_handle(to, m, p, h, e);
	if (r == 0)
		*ret = TAKE(done);
	return r < 0 && !(e && e->code) ? error_set(e, r, "no memory for the archive") : r;
}
