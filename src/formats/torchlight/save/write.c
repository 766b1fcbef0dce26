/* SPDX-License-Identifier: Zlib */
/* write: write an archive as laid out. */
#include "formats/torchlight/save/write.h"

#include <errno.h>
#include <string.h>

static int make_extent(struct buffer *take, struct extent *ret, struct error *e)
{
	struct bytes *b;

	if (buffer_finish(take, &b) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = extent_of_bytes(b);
	return 0;
}

/* Make the header, with the list of removed files, and the header of the section. */
static int make_front(const struct tl_map *m, struct tl_plan *p, struct error *e)
{
	CLEANUP(modheader_unref)
	struct mod_header *h = m->header ? modheader_copy(m->header) : NULL;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r = 0;

	if (m->header && (!h || text_set(&h->removed, m->removed->data, m->removed->size) < 0))
		return error_set(e, -ENOMEM, "out of memory");
	if (h)
		r = modheader_write(h, p->size, &out, e);
	buffer_u32(&out, p->largest);
	if (p->header_size >= PAK_HEADER)
		buffer_u32(&out, p->hash);
	return r < 0 ? r : make_extent(&out, &p->front, e);
}

static int make_back(struct tl_plan *p, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r = manifest_write(&p->manifest, &out, e);

	return r < 0 ? r : make_extent(&out, &p->back, e);
}

static void free_plan(struct plan *plan)
{
	struct tl_plan *p = (struct tl_plan *)plan;

	for (size_t i = 0; i < p->n_pieces; i++)
		extent_finish(&p->pieces[i].x);
	extent_finish(&p->front);
	extent_finish(&p->back);
	free(p->pieces);
	free(p->manifest.entries);
	free(p->fresh);
	free(p);
}

static int plan_new(const struct tl_map *m, struct plan **ret, struct error *e)
{
	struct tl_plan *p = calloc(1, sizeof(*p));
	CLEANUP(plan_free) struct plan *done = p ? &p->plan : NULL;
	size_t n = tl_manifest(m)->n_entries;

	if (p) {
		done->free = free_plan;
		p->manifest = *tl_manifest(m);
		p->manifest.entries = calloc(n + 1, sizeof(*p->manifest.entries));
		p->fresh = calloc(n + 1, sizeof(*p->fresh));
	}
	if (!p || !p->manifest.entries || !p->fresh)
		return error_set(e, -ENOMEM, "out of memory");
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
	if (r == 0)
		r = make_front(m, p, e);
	if (r == 0)
		r = make_back(p, e);
	if (r < 0)
		return r;
	replace_copy(outs[0], &p->front);
	for (size_t i = 0; i < p->n_pieces; i++)
		replace_copy(outs[0], &p->pieces[i].x);
	replace_copy(m->header ? outs[0] : outs[1], &p->back);
	*ret = TAKE(done);
	return 0;
}
