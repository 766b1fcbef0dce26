/* SPDX-License-Identifier: Zlib */
/* elements_parse: what was written to quads.json and sources.json. */
#include <errno.h>
#include <string.h>

#include "base/spool.h"
#include "formats/teeworlds/lens/layer/elements.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

enum { CHUNK = 64 << 10 /* bytes that are written at once */ };

/* A written list on its way into a spool, and whether it says what stood there. */
struct taking {
	const struct tw_map *m;
	const struct tw_list *l;
	struct tw_list_window old;
	uint32_t n_old; /* elements that can be read */
	uint32_t n;
	bool differs;
	struct buffer chunk;
	struct spool *out;
};

static int flush(struct taking *t, size_t at_least, struct error *e)
{
	int r = t->chunk.error;

	if (r == 0 && t->chunk.size >= at_least) {
		r = spool_append(t->out, t->chunk.data, t->chunk.size, e);
		t->chunk.size = 0;
		return r;
	}
	return r < 0 ? error_set(e, r, "no memory for the list") : 0;
}

/* What an element leaves out is that of the old list's element in its place. */
static int take_element(void *arg, const struct json_at *at, struct error *e)
{
	struct taking *t = arg;
	const struct tw_list *l = t->l;
	int32_t v[TW_ELEMENT_MAX] = {0}, was[TW_ELEMENT_MAX];
	struct tw_record rec = {
		.keys = l->keys, .v = v, .n = l->ints, .is_new = t->m->items[l->item].made};
	int r = tw_record_expect(at, l->keys, NULL, e);

	if (r == 0 && t->n == INT32_MAX / 4 / l->ints)
		r = json_refuse(at, e, "a list has at most %u", t->n);
	if (r == 0 && t->n < t->n_old)
		r = tw_list_element(&t->old, t->n, v, e);
	else if (r == 0)
		tw_record_reset(&rec);
	memcpy(was, v, sizeof(v));
	if (r == 0)
		r = tw_record_read(at, t->m, &rec, e);
	for (uint32_t k = 0; r == 0 && k < l->ints; k++)
		buffer_u32(&t->chunk, (uint32_t)v[k]);
	t->differs |= memcmp(was, v, sizeof(v)) != 0;
	t->n++;
	return r < 0 ? r : flush(t, CHUNK, e);
}

/* Bytes past the count stay while the count does; an empty list is one of zeros, as the editor
 * writes it. */
static int take_tail(struct taking *t, struct error *e)
{
	const struct tw_list *l = t->l;
	uint64_t at = (uint64_t)l->count * 4 * l->ints;
	uint8_t piece[4096];
	int r = 0;

	while (r == 0 && t->n_old && t->n == l->count && at < l->blob->size) {
		uint64_t left = l->blob->size - at;
		size_t n = left < sizeof(piece) ? (size_t)left : sizeof(piece);

		r = blob_read(l->blob, at, piece, n, e);
		buffer_append(&t->chunk, piece, n);
		if (r == 0)
			r = flush(t, CHUNK, e);
		at += n;
	}
	for (uint32_t k = 0; r == 0 && !t->n && k < l->ints; k++)
		buffer_u32(&t->chunk, 0);
	return r < 0 ? r : flush(t, 0, e);
}

static int keep_list(struct taking *t, struct tw_change *c, struct error *e)
{
	CLEANUP_EXTENT struct extent content = EXTENT_INIT;
	struct blob *blob = NULL;
	int r = take_tail(t, e);

	if (r == 0)
		r = spool_extent(t->out, &content, e);
	if (r == 0)
		r = tw_keep_extent(t->m, &content, &blob, e);
	if (r < 0)
		return r;
	tw_change_int(c, t->l->item, TW_LIST_COUNT, (int32_t)t->n);
	tw_change_data(c, t->l->item, TW_LIST_DATA, blob);
	return 0;
}

int tw_list_parse(const struct tw_map *m, entry_id id, const struct extent *in, struct tw_change *c,
	struct error *e)
{
	CLEANUP(spool_destroy) struct spool *out = NULL;
	CLEANUP_JSON struct json_doc rest = {0};
	struct taking t = {.m = m};
	struct tw_list l;
	int r = tw_layer_refuses(tw_list_find(m, id, &l, e), e);

	if (r == 0)
		r = tw_layer_waits(&m->items[l.item], e);
	if (r < 0)
		return r;
	t.out = out = spool_create(m->shared->store->spool_dirfd);
	if (!out)
		return error_set(e, -ENOMEM, "no memory for the list");
	t.l = t.old.l = &l;
	/* A list that cannot be read may be replaced. */
	if (l.count && blob_check(l.blob, NULL) == 0)
		t.n_old = l.count;
	r = json_list_read(in, TW_LIST_TEXT_MAX, NULL, take_element, &t, &rest, e);
	if (r == 0 && (t.differs || t.n != t.n_old || t.n != l.count))
		r = keep_list(&t, c, e);
	buffer_finish_free(&t.chunk);
	return r;
}
