/* SPDX-License-Identifier: Zlib */
/* verify: a written file, read back and compared with what was meant. */
#include <errno.h>
#include <string.h>

#include "base/threads/parallel.h"
#include "codec/blob_equal.h"
#include "formats/teeworlds/datafile/datafile.h"
#include "formats/teeworlds/datafile/number.h"
#include "formats/teeworlds/datafile/write.h"
#include "formats/teeworlds/model/fields.h"

static int compare_item(const struct tw_item *meant, const struct tw_item *is,
	const struct tw_map *m, const struct numbering *numbers, struct error *e)
{
	if (meant->type != is->type || meant->id != is->id || meant->ints->n != is->ints->n)
		return error_set(e, -EIO, "item %u of type %u is %u of type %u in the new file",
			meant->id, meant->type, is->id, is->type);
	for (uint32_t i = 0; i < meant->ints->n; i++) {
		int32_t v = numbering_int(numbers, m, meant, i);

		if (is->ints->v[i] != v)
			return error_set(e, -EIO,
				"integer %u of item %u, type %u, is %d in the new file (meant: %d)",
				i, meant->id, meant->type, is->ints->v[i], v);
	}
	return 0;
}

static int compare_items(const struct tw_map *m, const struct tw_map *is,
	const struct numbering *numbers, struct error *e)
{
	size_t at = 0;

	for (size_t i = 0; i < m->index->n_types; i++) {
		const struct tw_type *t = &m->index->types[i];

		for (uint32_t k = 0; k < t->n; k++, at++) {
			int r;

			if (at >= is->n_items)
				break;
			r = compare_item(&m->items[t->items[k]], &is->items[at], m, numbers, e);
			if (r < 0)
				return r;
		}
	}
	if (at != is->n_items)
		return error_set(
			e, -EIO, "the new file has %zu items (meant: %zu)", is->n_items, at);
	return 0;
}

static int ignore_chunk(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	(void)arg, (void)data, (void)n, (void)e;
	return 0;
}

static int compare_copied(const struct extent *meant, const struct extent *is,
	const struct source *written, struct error *e)
{
	bool same;
	int r;

	if (compared_has(written->compared[0], meant, is->off))
		return 0;
	r = extent_equal(meant, is, &same, e);
	return r == 0 && !same ? error_set(e, -EIO, "its bytes differ from what was written") : r;
}

static int compare_blob(struct blob *meant, struct blob *is, const struct plan_blob *p,
	const struct source *written, struct error *e)
{
	bool same;
	int r;

	if (is->stored.off != p->off || is->stored.size != p->size || is->coding != p->coding)
		return error_set(e, -EIO, "it does not stand where it was written");
	if (meant && is->size != meant->size)
		return error_set(e, -EIO, "its size is %llu (meant: %llu)",
			(unsigned long long)is->size, (unsigned long long)meant->size);
	/* What was not decoded to be written is compared as it stands, be it sound or not. */
	if (meant && meant->coding == is->coding && p->copied) {
		r = compare_copied(&meant->stored, &is->stored, written, e);
		return r == 0 && written->doubted ? blob_check(is, e) : r;
	}
	if (!meant)
		return blob_each(is, ignore_chunk, NULL, e);
	r = blob_equal(meant, is, &same, e);
	if (r == 0 && !same)
		r = error_set(e, -EIO, "its content differs from what was written");
	return r;
}

struct verifying {
	const struct tw_map *m, *is;
	const struct tw_plan *plan;
	const struct numbering *numbers;
	const struct source *written;
};

static int verify_blob(void *arg, size_t i, struct error *e)
{
	const struct verifying *v = arg;
	uint32_t handle = v->numbers->at[i];
	int r = compare_blob(
		v->m->blobs[handle], v->is->blobs[i], &v->plan->blobs[handle], v->written, e);

	if (r < 0)
		error_context(e, "data item %zu of the new file", i);
	return r;
}

int datafile_verify(const struct tw_map *m, const struct plan *plan, const struct source *written,
	struct error *e)
{
	const struct tw_plan *p = (const struct tw_plan *)plan;
	CLEANUP(tw_shared_unref) struct tw_shared *sh = calloc(1, sizeof(*sh));
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct numbering numbers = {0};
	struct tw_map *is;
	int r;

	if (!sh)
		return error_set(e, -ENOMEM, "no memory to read the new file");
	atomic_init(&sh->refs, 1);
	is = tw_map_new(tw_shared_ref(sh));
	if (!is)
		return error_set(e, -ENOMEM, "no memory to read the new file");
	is->base.format = m->base.format;
	s = &is->base;
	r = datafile_read(written, is, e);
	if (r < 0)
		return error_context(e, "the new file"), r;
	if (written->sizes[0] != p->size)
		return error_set(e, -EIO, "the new file has %llu bytes (meant: %llu)",
			(unsigned long long)written->sizes[0], (unsigned long long)p->size);
	r = numbering_init(&numbers, m, e);
	if (r == 0 && numbers.n != is->n_blobs)
		r = error_set(e, -EIO, "the new file has %zu data items (meant: %zu)", is->n_blobs,
			numbers.n);
	if (r == 0)
		r = compare_items(m, is, &numbers, e);
	if (r == 0)
		r = parallel_each(numbers.n, verify_blob,
			&(struct verifying){m, is, p, &numbers, written}, e);
	numbering_finish(&numbers);
	return r;
}
