/* SPDX-License-Identifier: Zlib */
/* Read a written archive back. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/save/write.h"

/* Compare a file at `at` with x. -EIO if they differ. */
static int compare_extent(
	const struct source *w, int file, uint64_t at, const struct extent *x, struct error *e)
{
	const struct extent is = {
		.file = w->files[file], .off = at, .size = x->size}; /* borrowed */
	bool same = false;
	int r = 0;

	if (at <= w->sizes[file] && x->size <= w->sizes[file] - at) {
		if (compared_has(w->compared[file], x, at))
			return 0;
		r = extent_equal(x, &is, &same, e);
	}
	return r == 0 && !same
		       ? error_set(e, -EIO, "bytes at %" PRIu64 " differ from those planned", at)
		       : r;
}

static int compare_all(
	const struct tl_map *m, const struct tl_plan *p, const struct source *w, struct error *e)
{
	uint64_t section = p->front.size - p->header_size;
	int file = m->header ? 0 : 1;
	uint64_t back = m->header ? section + p->size : 0;
	int r = compare_extent(w, 0, 0, &p->front, e);

	for (size_t i = 0; r == 0 && i < p->n_pieces; i++)
		r = compare_extent(w, 0, section + p->pieces[i].at, &p->pieces[i].x, e);
	if (r == 0)
		r = compare_extent(w, file, back, &p->back, e);
	if (r == 0 && w->sizes[file] != back + p->back.size)
		r = error_set(e, -EIO, "more bytes were written than planned");
	return r;
}

static int check_fresh(const struct tl_plan *p, const struct archive *a, struct error *e)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < p->manifest.n_entries; i++) {
		const struct manifest_entry *x = &p->manifest.entries[i];
		CLEANUP(tl_content_unref) struct tl_content *c = NULL;

		if (!p->fresh[i])
			continue;
		r = tl_content_stored(&a->section, x, NULL, &c, e);
		if (r == 0)
			r = tl_content_check(c, e);
		if (r < 0)
			error_context(e, "%.*s", STR_SHORT(manifest_name(&p->manifest, x), 200));
	}
	return r;
}

int tl_verify(const struct snapshot *s, const struct plan *plan, const struct source *written,
	struct error *e)
{
	const struct tl_plan *p = (const struct tl_plan *)plan;
	CLEANUP(archive_free) struct archive *a = NULL;
	int r = archive_open_source(written, !tl_map_of(s)->header, &a, e);

	if (r == 0 && a->section.size != p->size)
		r = error_set(e, -EIO, "the data have %" PRIu64 " bytes (written: %" PRIu64 ")",
			a->section.size, p->size);
	if (r == 0 && !a->hash_ok)
		r = error_set(e, -EIO, "the archive's hash is wrong");
	if (r == 0)
		r = compare_all(tl_map_of(s), p, written, e);
	return r < 0 ? r : check_fresh(p, a, e);
}
