/* SPDX-License-Identifier: Zlib */
/* write: an archive as it was laid out. */
#include "formats/torchlight/save/write.h"

#include <errno.h>
#include <string.h>

#include "formats/torchlight/wire/removed.h"
#include "formats/torchlight/finalize/finalize.h"

static void write_section(const struct tl_plan *p, struct replace *out)
{
	uint8_t head[PAK_HEADER];

	store_u32(head, p->largest);
	store_u32(head + 4, p->hash);
	replace_write(out, head, p->header_size);
	for (size_t i = 0; i < p->n_pieces; i++)
		replace_copy(out, &p->pieces[i].x);
}

int tl_put_manifest(const struct tl_map *m, const struct tl_table *t, const struct tl_spot *spots,
	struct buffer *out, struct error *e)
{
	const struct manifest *old = m->shared->manifest;
	struct manifest_writer w;

	manifest_begin(&w, out, old->version, manifest_root(old));
	for (uint32_t i = 0; i < t->n_records; i++) {
		const struct tl_record *rec = &t->records[i];

		manifest_put_record(&w, rec->path);
		for (uint32_t k = rec->first; k < rec->first + rec->n; k++) {
			const struct tl_row *row = &t->rows[k];
			struct manifest_entry x = {.type = row->type};

			if (spots && row->handle != TL_NONE) {
				const struct tl_spot *spot = &spots[row->handle];

				x.offset = spot->offset;
				x.usize = spot->usize;
				x.crc = spot->crc;
				x.filetime = spot->filetime;
			}
			manifest_put_entry(&w, &x, row->name);
		}
	}
	return manifest_end(&w, old->step ? old->step : MANIFEST_STEP, e);
}

static int write_manifest(
	const struct tl_map *m, const struct tl_plan *p, struct replace *out, struct error *e)
{
	CLEANUP_BUFFER struct buffer bytes = BUFFER_INIT;
	int r = tl_put_manifest(m, p->table, p->spots, &bytes, e);

	if (r == 0)
		replace_write(out, bytes.data, bytes.size);
	return r;
}

/* With the list of removed files. */
static int write_header(
	const struct tl_map *m, const struct tl_plan *p, struct replace *out, struct error *e)
{
	CLEANUP(modheader_free) struct mod_header *h = tl_header_copy(m->header->h);
	CLEANUP_BUFFER struct buffer bytes = BUFFER_INIT;
	struct str path;
	size_t at = 0, n = 0;
	int r;

	while (removed_next(m->removed, &at, &path))
		n++;
	if (h)
		h->removed = calloc(n + 1, sizeof(*h->removed));
	if (!h || !h->removed)
		return error_set(e, -ENOMEM, "no memory for the header");
	if (n > UINT16_MAX)
		return error_set(e, -EINVAL, "%zu removed files (at most %u)", n, UINT16_MAX);
	at = 0;
	while (removed_has_list(h) && removed_next(m->removed, &at, &path)) {
		struct text *t = &h->removed[h->n_removed];

		/* A damaged header may hold a NUL inside one. */
		t->s = str_dup(path);
		t->n = path.n;
		if (!t->s)
			return error_set(e, -ENOMEM, "no memory for the header");
		h->n_removed++;
	}
	r = modheader_write(h, p->size, &bytes, e);
	if (r == 0)
		replace_write(out, bytes.data, bytes.size);
	return r;
}

static void free_plan(struct plan *plan)
{
	struct tl_plan *p = (struct tl_plan *)plan;

	for (size_t i = 0; i < p->n_pieces; i++)
		extent_finish(&p->pieces[i].x);
	free(p->pieces);
	free(p->spots);
	free(p->fresh);
	tl_table_unref(p->table);
	free(p);
}

static int plan_new(const struct tl_map *m, struct plan **ret, struct error *e)
{
	struct tl_plan *p = calloc(1, sizeof(*p));
	CLEANUP(plan_free) struct plan *done = p ? &p->plan : NULL;
	int r;

	if (!p)
		return error_set(e, -ENOMEM, "no memory for the archive's layout");
	done->free = free_plan;
	r = tl_table_of(m, &p->table, e);
	if (r < 0)
		return r;
	p->n = tl_n_files(m);
	p->spots = calloc((size_t)p->n + 1, sizeof(*p->spots));
	p->fresh = calloc((size_t)p->n + 1, sizeof(*p->fresh));
	if (!p->spots || !p->fresh)
		return error_set(e, -ENOMEM, "no memory for the archive's layout");
	*ret = TAKE(done);
	return 0;
}

int tl_encode(const struct snapshot *s, struct replace *const outs[], bool force, struct plan **ret,
	struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	CLEANUP(plan_free) struct plan *done = NULL;
	struct tl_plan *p;
	int r = plan_new(m, &done, e);

	if (r < 0)
		return r;
	p = (struct tl_plan *)done;
	r = tl_layout(m, force, p, e);
	if (r == 0 && m->header)
		r = write_header(m, p, outs[0], e);
	if (r < 0)
		return r;
	write_section(p, outs[0]);
	r = write_manifest(m, p, m->header ? outs[0] : outs[1], e);
	if (r == 0)
		*ret = TAKE(done);
	return r;
}
