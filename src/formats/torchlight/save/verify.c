/* SPDX-License-Identifier: Zlib */
/* An archive that was written: read back. */
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
			STR_SHORT(row->name, 200));
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
			error_context(e, "%.*s", STR_SHORT(row->name, 200));
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
