/* SPDX-License-Identifier: Zlib */
/* verify: read a written file back, and compare it with the map; compare two maps. */
#include <errno.h>

#include "base/threads/parallel.h"
#include "codec/blob_equal.h"
#include "formats/teeworlds/datafile/datafile.h"
#include "formats/teeworlds/datafile/write.h"
#include "formats/teeworlds/model/store.h"

static int compare_item(const struct tw_map *a, const struct numbering *na,
	const struct tw_item *meant, const struct tw_map *b, const struct numbering *nb,
	const struct tw_item *is, struct error *e)
{
	if (meant->type != is->type || meant->id != is->id || meant->ints->n != is->ints->n)
		return error_set(e, -EIO, "item %u of type %u is %u of type %u in the new file",
			meant->id, meant->type, is->id, is->type);
	for (uint32_t i = 0; i < meant->ints->n; i++) {
		int32_t v = numbering_int(na, a, meant, i), w = numbering_int(nb, b, is, i);

		if (v != w)
			return error_set(e, -EIO,
				"integer %u of item %u, type %u, is %d in the new file (expected: "
				"%d)",
				i, meant->id, meant->type, w, v);
	}
	return 0;
}

/* Compare the items of a and b, as written. nb is NULL if b was read from the written file. */
static int compare_items(const struct tw_map *a, const struct numbering *na, const struct tw_map *b,
	const struct numbering *nb, struct error *e)
{
	const struct tw_index *x = a->index, *y = b->index;
	int r = 0;

	for (size_t i = 0; r == 0 && i < x->n_listed && i < y->n_listed; i++)
		r = compare_item(a, na, &a->items[x->listed[i]], b, nb, &b->items[y->listed[i]], e);
	if (r == 0 && x->n_listed != y->n_listed)
		r = error_set(e, -EIO, "the new file has %zu items (expected: %zu)", y->n_listed,
			x->n_listed);
	return r;
}

static bool same_blob(struct blob *a, struct blob *b)
{
	bool same;

	if (a == b)
		return true;
	if (!a || !b || a->size != b->size)
		return false;
	if (a->coding == b->coding)
		return a->stored.size == b->stored.size &&
		       extent_equal(&a->stored, &b->stored, &same, NULL) == 0 && same;
	/* Finalizing makes raw blobs in memory; the written file holds them encoded. */
	return blob_equal(a, b, &same, NULL) == 0 && same;
}

static bool same_blobs(const struct tw_map *a, const struct numbering *na, const struct tw_map *b,
	const struct numbering *nb)
{
	size_t i = 0;

	while (i < na->n && i < nb->n &&
		same_blob(a->blobs[na->handles[i]], b->blobs[nb->handles[i]]))
		i++;
	return i == na->n && i == nb->n;
}

bool tw_same(const struct snapshot *sa, const struct snapshot *sb)
{
	const struct tw_map *a = tw_map_of(sa), *b = tw_map_of(sb);
	struct numbering na = {0}, nb = {0};
	bool same = false;

	/* The save needs all composed blobs in any case. */
	if (a == b || tw_materialize_all(b, NULL) < 0)
		return a == b;
	if (a->shared->file_version == b->shared->file_version &&
		a->must_rewrite == b->must_rewrite && numbering_init(&na, a, NULL) == 0 &&
		numbering_init(&nb, b, NULL) == 0)
		same = compare_items(a, &na, b, &nb, NULL) == 0 && same_blobs(a, &na, b, &nb);
	numbering_finish(&na);
	numbering_finish(&nb);
	return same;
}

static int ignore_chunk(void *, const uint8_t *, size_t, struct error *)
{
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
	return r == 0 && !same ? error_set(e, -EIO, "its bytes differ from those written") : r;
}

static int compare_blob(struct blob *meant, struct blob *is, const struct tw_plan *plan, size_t i,
	const struct source *written, struct error *e)
{
	const struct plan_blob *p = &plan->blobs[i];
	bool same;
	int r;

	if (is->stored.off != p->off || is->stored.size != p->size || is->coding != plan->coding)
		return error_set(e, -EIO, "its position differs from that written");
	if (meant && is->size != meant->size)
		return error_set(e, -EIO, "its size is %llu (expected: %llu)",
			(unsigned long long)is->size, (unsigned long long)meant->size);
	/* Compare a blob that was written without decoding in its stored form. A copied one may be
	 * damaged in the map already. One that a save compressed must be sound, so check it. */
	if (meant && meant->coding == is->coding && (p->is_copied || p->is_composed)) {
		r = compare_copied(&meant->stored, &is->stored, written, e);
		return r == 0 && (p->is_composed || written->is_doubtful) ? blob_check(is, e) : r;
	}
	if (!meant)
		return blob_for_each_chunk(is, ignore_chunk, NULL, e);
	r = blob_equal(meant, is, &same, e);
	if (r == 0 && !same)
		r = error_set(e, -EIO, "its content differs from that written");
	return r;
}

struct verifying {
	const struct tw_map *m, *is;
	const struct tw_plan *plan;
	const struct source *written;
};

static int verify_blob(void *arg, size_t i, struct error *e)
{
	const struct verifying *v = arg;
	struct blob *meant = numbering_blob(&v->plan->numbers, v->m, i);
	int r = compare_blob(meant, v->is->blobs[i], v->plan, i, v->written, e);

	if (r < 0)
		error_context(e, "data item %zu of the new file", i);
	return r;
}

int datafile_verify(const struct snapshot *meant, const struct plan *plan,
	const struct source *written, struct error *e)
{
	const struct tw_map *m = tw_map_of(meant);
	const struct tw_plan *p = (const struct tw_plan *)plan;
	CLEANUP(tw_shared_unref) struct tw_shared *sh = calloc(1, sizeof(*sh));
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct tw_map *is;
	int r;

	if (!sh)
		return error_set(e, -ENOMEM, "out of memory");
	atomic_init(&sh->refs, 1);
	is = tw_map_new(tw_shared_ref(sh));
	if (!is)
		return error_set(e, -ENOMEM, "out of memory");
	is->base.format = m->base.format;
	s = &is->base;
	r = datafile_read(written, is, e);
	if (r < 0)
		return error_context(e, "the new file"), r;
	if (written->sizes[0] != p->size)
		return error_set(e, -EIO, "the new file has %llu bytes (expected: %llu)",
			(unsigned long long)written->sizes[0], (unsigned long long)p->size);
	if (p->numbers.n != is->n_blobs)
		return error_set(e, -EIO, "the new file has %zu data items (expected: %zu)",
			is->n_blobs, p->numbers.n);
	r = compare_items(m, &p->numbers, is, NULL, e);
	return r < 0 ? r
		     : parallel_each(p->numbers.n, verify_blob,
			       &(struct verifying){m, is, p, written}, e);
}
