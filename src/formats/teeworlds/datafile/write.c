/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/datafile/write.h"

#include <errno.h>

#include "base/buffer.h"
#include "base/threads/parallel.h"
#include "codec/zlib/inflate.h"
#include "formats/teeworlds/datafile/datafile.h"
#include "formats/teeworlds/model/store.h"

/* The layout of the file, computed before anything is written. */
struct layout {
	const struct tw_map *m;
	bool packed; /* version 4 */
	struct tw_plan *plan;
	struct extent *stored; /* by number: the bytes to write */
	uint64_t item_size, data_size;
};

static void layout_finish(struct layout *l)
{
	for (size_t i = 0; l->stored && i < l->plan->numbers.n; i++)
		extent_finish(&l->stored[i]);
	free(l->stored);
}

/* Decode and encode a blob. A damaged one is copied as it is, if its coding fits. */
static int recode_blob(const struct layout *l, struct blob *b, struct extent *ret,
	struct plan_blob *ret_plan, struct error *e)
{
	int dirfd = l->m->shared->store->spool_dirfd;
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	int r;

	if (l->packed) {
		r = deflate_from(blob_read_fn, b, b->size, dirfd, ret, e);
	} else {
		r = blob_load(b, &whole, e);
		if (r == 0)
			*ret = extent_of_bytes(TAKE(whole));
	}
	ret_plan->is_copied = r == -EIO && b->coding == l->plan->coding;
	if (!ret_plan->is_copied)
		return r;
	error_clear(e);
	*ret = extent_ref(&b->stored);
	return 0;
}

/* Make a data item of one NUL byte. */
static int make_nul(const struct layout *l, struct extent *ret, struct error *e)
{
	static const uint8_t packed[] = {0x78, 0x9c, 0x63, 0, 0, 0, 1, 0, 1};

	*ret = extent_of_bytes(l->packed ? bytes_copy(packed, sizeof(packed)) : bytes_new(1, NULL));
	return ret->mem ? 0 : error_set(e, -ENOMEM, "out of memory");
}

static struct blob *blob_at(const struct layout *l, size_t number)
{
	return numbering_blob(&l->plan->numbers, l->m, number);
}

/* The blobs to recode. */
struct recoding {
	const struct layout *l;
	size_t *numbers;
	size_t n;
};

static int recode_numbered(void *arg, size_t i, struct error *e)
{
	const struct recoding *c = arg;
	const struct layout *l = c->l;
	size_t number = c->numbers[i];
	int r = recode_blob(l, blob_at(l, number), &l->stored[number], &l->plan->blobs[number], e);

	if (r < 0)
		error_context(e, "data item %zu", number);
	return r;
}

/* Choose the bytes to write for each blob: stored ones if their coding fits, or recoded ones. */
static int place_blobs(struct layout *l, bool force, struct error *e)
{
	size_t n = l->plan->numbers.n;
	CLEANUP(free) size_t *numbers = calloc(n + 1, sizeof(*numbers));
	struct recoding c = {.l = l, .numbers = numbers};
	int r = tw_materialize_all(l->m, e);

	l->plan->blobs = calloc(n + 1, sizeof(*l->plan->blobs));
	l->stored = calloc(n + 1, sizeof(*l->stored));
	if (!l->plan->blobs || !l->stored || !numbers)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct blob *b = blob_at(l, i);

		if (!b) {
			r = make_nul(l, &l->stored[i], e);
			continue;
		}
		if (b->coding != l->plan->coding || force) {
			numbers[c.n++] = i;
			continue;
		}
		l->stored[i] = extent_ref(&b->stored);
		l->plan->blobs[i].is_copied = l->m->file && b->stored.file == l->m->file;
		l->plan->blobs[i].is_composed = b->recipe;
	}
	if (r == 0)
		r = parallel_each(c.n, recode_numbered, &c, e);
	for (size_t i = 0; r == 0 && i < n; i++) {
		l->plan->blobs[i].size = l->stored[i].size;
		l->data_size += l->stored[i].size;
	}
	return r;
}

static int place_sections(struct layout *l, struct error *e)
{
	const struct tw_index *x = l->m->index;
	struct tw_plan *p = l->plan;
	uint64_t at;

	for (size_t i = 0; i < x->n_listed; i++)
		l->item_size += 8 + 4 * (uint64_t)l->m->items[x->listed[i]].ints->n;
	at = DATAFILE_HEADER_SIZE + 12 * x->n_types + 4 * x->n_listed + 4 * p->numbers.n +
	     (l->packed ? 4 * p->numbers.n : 0) + l->item_size;
	p->size = at + l->data_size;
	if (p->size > INT32_MAX)
		return error_set(e, -EFBIG, "the map would have %llu bytes (at most %d)",
			(unsigned long long)p->size, INT32_MAX);
	for (size_t i = 0; i < p->numbers.n; i++) {
		p->blobs[i].off = at;
		at += p->blobs[i].size;
	}
	return 0;
}

static void write_tables(const struct layout *l, struct buffer *out)
{
	const struct tw_index *x = l->m->index;
	uint32_t n_items = 0, off = 0;

	for (size_t i = 0; i < x->n_types; i++) {
		buffer_u32(out, x->types[i].id);
		buffer_u32(out, n_items);
		buffer_u32(out, x->types[i].n);
		n_items += x->types[i].n;
	}
	for (size_t i = 0; i < x->n_listed; i++) {
		buffer_u32(out, off);
		off += 8 + 4 * l->m->items[x->listed[i]].ints->n;
	}
	off = 0;
	for (size_t i = 0; i < l->plan->numbers.n; i++) {
		buffer_u32(out, off);
		off += (uint32_t)l->stored[i].size;
	}
	for (size_t i = 0; l->packed && i < l->plan->numbers.n; i++)
		buffer_u32(out, blob_at(l, i) ? (uint32_t)blob_at(l, i)->size : 1);
}

static void write_item(const struct layout *l, const struct tw_item *it, struct buffer *out)
{
	buffer_u32(out, (uint32_t)it->type << 16 | it->id);
	buffer_u32(out, 4 * it->ints->n);
	for (uint32_t i = 0; i < it->ints->n; i++)
		buffer_u32(out, (uint32_t)numbering_int(&l->plan->numbers, l->m, it, i));
}

static void write_header(const struct layout *l, struct buffer *out)
{
	const struct tw_index *x = l->m->index;

	buffer_text(out, "DATA");
	buffer_u32(out, l->packed ? 4 : 3);
	buffer_u32(out, (uint32_t)l->plan->size - 16);
	buffer_u32(out, (uint32_t)(l->plan->size - l->data_size) - 16);
	buffer_u32(out, (uint32_t)x->n_types);
	buffer_u32(out, (uint32_t)x->n_listed);
	buffer_u32(out, (uint32_t)l->plan->numbers.n);
	buffer_u32(out, (uint32_t)l->item_size);
	buffer_u32(out, (uint32_t)l->data_size);
}

static int write_all(const struct layout *l, struct replace *out, struct error *e)
{
	const struct tw_index *x = l->m->index;
	CLEANUP_BUFFER struct buffer head = BUFFER_INIT;

	write_header(l, &head);
	write_tables(l, &head);
	for (size_t i = 0; i < x->n_listed; i++)
		write_item(l, &l->m->items[x->listed[i]], &head);
	if (head.error)
		return error_set(e, head.error, "out of memory");
	replace_write(out, head.data, head.size);
	for (size_t i = 0; i < l->plan->numbers.n; i++)
		replace_copy(out, &l->stored[i]);
	return 0;
}

static void free_plan(struct plan *plan)
{
	struct tw_plan *p = (struct tw_plan *)plan;

	numbering_finish(&p->numbers);
	free(p->blobs);
	free(p);
}

int datafile_write(const struct snapshot *s, struct replace *const outs[], bool force,
	struct plan **ret, struct error *e)
{
	const struct tw_map *m = tw_map_of(s);
	struct tw_plan *p = calloc(1, sizeof(*p));
	CLEANUP(plan_free) struct plan *done = p ? &p->plan : NULL;
	__attribute__((cleanup(layout_finish))) struct layout l = {
		.m = m, .packed = m->shared->file_version != 3, .plan = p};
	int r;

	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	p->plan.free = free_plan;
	p->coding = l.packed ? BLOB_ZLIB : BLOB_RAW;
	r = numbering_init(&p->numbers, m, e);
	if (r == 0)
		r = place_blobs(&l, force, e);
	if (r == 0)
		r = place_sections(&l, e);
	if (r == 0)
		r = write_all(&l, outs[0], e);
	if (r == 0)
		*ret = TAKE(done);
	return r;
}
