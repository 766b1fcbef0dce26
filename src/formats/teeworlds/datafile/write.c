/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/datafile/write.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/threads/parallel.h"
#include "codec/zlib/inflate.h"
#include "formats/teeworlds/datafile/datafile.h"
#include "formats/teeworlds/datafile/number.h"
#include "formats/teeworlds/model/fields.h"

/* The sections as they will be, before anything is written. */
struct layout {
	const struct tw_map *m;
	bool packed; /* version 4 */
	struct numbering numbers;
	struct extent *stored; /* by number, what is written */
	uint64_t *sizes;       /* inflated */
	uint64_t item_size, data_size, total;
};

static void layout_finish(struct layout *l)
{
	for (size_t i = 0; l->stored && i < l->numbers.n; i++)
		extent_finish(&l->stored[i]);
	free(l->stored);
	free(l->sizes);
	numbering_finish(&l->numbers);
}

/* Decodes and encodes. A blob that does not decode is copied, broken as it is. */
static int recode(const struct layout *l, struct blob *b, struct extent *ret, bool *ret_copied,
	struct error *e)
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
	*ret_copied = r == -EIO && b->coding == (l->packed ? BLOB_ZLIB : BLOB_RAW);
	if (!*ret_copied)
		return r;
	if (e)
		*e = (struct error)ERROR_INIT;
	*ret = extent_ref(&b->stored);
	return 0;
}

static struct blob *blob_at(const struct layout *l, int32_t number)
{
	struct blob *b = l->m->blobs[l->numbers.at[number]];

	return b ? b : l->numbers.filler;
}

/* What is encoded anew. */
struct recoding {
	const struct layout *l;
	struct tw_plan *plan;
	int32_t *numbers;
	size_t n;
};

static int recode_one(void *arg, size_t i, struct error *e)
{
	const struct recoding *c = arg;
	const struct layout *l = c->l;
	int32_t number = c->numbers[i];
	int r = recode(l, blob_at(l, number), &l->stored[number],
		&c->plan->blobs[l->numbers.at[number]].copied, e);

	if (r < 0)
		error_context(e, "data item %d", number);
	return r;
}

/* Copied as it is where its coding fits; else it is to be encoded. */
static void place_blob(struct layout *l, int32_t number, bool force, struct recoding *c)
{
	struct blob *b = blob_at(l, number);
	struct plan_blob *p = &c->plan->blobs[l->numbers.at[number]];

	p->written = true;
	p->coding = l->packed ? BLOB_ZLIB : BLOB_RAW;
	l->sizes[number] = b->size;
	if (b->coding == p->coding && !force) {
		l->stored[number] = extent_ref(&b->stored);
		p->copied = l->m->file && b->stored.file == l->m->file;
	} else {
		c->numbers[c->n++] = number;
	}
}

static int place_blobs(struct layout *l, bool force, struct tw_plan *p, struct error *e)
{
	int r = numbering_init(&l->numbers, l->m, e);
	CLEANUP(free) int32_t *numbers = NULL;
	struct recoding c = {.l = l, .plan = p};

	if (r < 0)
		return r;
	l->stored = calloc(l->numbers.n + 1, sizeof(*l->stored));
	l->sizes = calloc(l->numbers.n + 1, sizeof(*l->sizes));
	c.numbers = numbers = calloc(l->numbers.n + 1, sizeof(*numbers));
	if (!l->stored || !l->sizes || !numbers)
		return error_set(e, -ENOMEM, "no memory for the table of data items");
	for (size_t i = 0; i < l->numbers.n; i++)
		place_blob(l, (int32_t)i, force, &c);
	r = parallel_each(c.n, recode_one, &c, e);
	for (size_t i = 0; r == 0 && i < l->numbers.n; i++) {
		p->blobs[l->numbers.at[i]].size = l->stored[i].size;
		l->data_size += l->stored[i].size;
	}
	return r;
}

static int place_sections(struct layout *l, struct tw_plan *p, struct error *e)
{
	const struct tw_index *x = l->m->index;
	uint64_t n_items = 0, at;

	for (size_t i = 0; i < x->n_types; i++)
		for (uint32_t k = 0; k < x->types[i].n; k++, n_items++)
			l->item_size += 8 + 4 * (uint64_t)l->m->items[x->types[i].items[k]].ints->n;
	at = DATAFILE_HEADER_SIZE + 12 * x->n_types + 4 * n_items + 4 * l->numbers.n +
	     (l->packed ? 4 * l->numbers.n : 0) + l->item_size;
	l->total = p->size = at + l->data_size;
	if (l->total > INT32_MAX)
		return error_set(e, -EFBIG, "the map would have %llu bytes (at most %d)",
			(unsigned long long)l->total, INT32_MAX);
	for (size_t i = 0; i < l->numbers.n; i++) {
		struct plan_blob *blob = &p->blobs[l->numbers.at[i]];

		blob->off = at;
		at += blob->size;
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
	for (size_t i = 0; i < x->n_types; i++) {
		for (uint32_t k = 0; k < x->types[i].n; k++) {
			buffer_u32(out, off);
			off += 8 + 4 * l->m->items[x->types[i].items[k]].ints->n;
		}
	}
	off = 0;
	for (size_t i = 0; i < l->numbers.n; i++) {
		buffer_u32(out, off);
		off += (uint32_t)l->stored[i].size;
	}
	for (size_t i = 0; l->packed && i < l->numbers.n; i++)
		buffer_u32(out, (uint32_t)l->sizes[i]);
}

static void write_item(const struct layout *l, const struct tw_item *it, struct buffer *out)
{
	buffer_u32(out, (uint32_t)it->type << 16 | it->id);
	buffer_u32(out, 4 * it->ints->n);
	for (uint32_t i = 0; i < it->ints->n; i++)
		buffer_u32(out, (uint32_t)numbering_int(&l->numbers, l->m, it, i));
}

static void write_header(const struct layout *l, struct buffer *out)
{
	const struct tw_index *x = l->m->index;
	uint32_t n_items = 0;

	for (size_t i = 0; i < x->n_types; i++)
		n_items += x->types[i].n;
	buffer_text(out, "DATA");
	buffer_u32(out, l->packed ? 4 : 3);
	buffer_u32(out, (uint32_t)l->total - 16);
	buffer_u32(out, (uint32_t)(l->total - l->data_size) - 16);
	buffer_u32(out, (uint32_t)x->n_types);
	buffer_u32(out, n_items);
	buffer_u32(out, (uint32_t)l->numbers.n);
	buffer_u32(out, (uint32_t)l->item_size);
	buffer_u32(out, (uint32_t)l->data_size);
}

static int write_all(const struct layout *l, struct replace *out, struct error *e)
{
	const struct tw_index *x = l->m->index;
	CLEANUP_BUFFER struct buffer head = BUFFER_INIT;

	write_header(l, &head);
	write_tables(l, &head);
	for (size_t i = 0; i < x->n_types; i++)
		for (uint32_t k = 0; k < x->types[i].n; k++)
			write_item(l, &l->m->items[x->types[i].items[k]], &head);
	if (head.error)
		return error_set(e, head.error, "no memory for the tables of the map");
	replace_write(out, head.data, head.size);
	for (size_t i = 0; i < l->numbers.n; i++)
		replace_copy(out, &l->stored[i]);
	return 0;
}

static void free_plan(struct plan *plan)
{
	struct tw_plan *p = (struct tw_plan *)plan;

	free(p->blobs);
	free(p);
}

static struct tw_plan *plan_new(const struct tw_map *m)
{
	struct tw_plan *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->plan.free = free_plan;
	p->n_blobs = m->n_blobs;
	p->blobs = calloc(m->n_blobs + 1, sizeof(*p->blobs));
	if (!p->blobs)
		plan_free(&TAKE(p)->plan);
	return p;
}

int datafile_write(
	const struct tw_map *m, struct replace *out, bool force, struct plan **ret, struct error *e)
{
	__attribute__((cleanup(layout_finish))) struct layout l = {
		.m = m, .packed = m->shared->file_version != 3};
	struct tw_plan *p = plan_new(m);
	CLEANUP(plan_free) struct plan *done = p ? &p->plan : NULL;
	int r = p ? 0 : error_set(e, -ENOMEM, "no memory for the plan of the file");

	if (r == 0)
		r = place_blobs(&l, force, p, e);
	if (r == 0)
		r = place_sections(&l, p, e);
	if (r == 0)
		r = write_all(&l, out, e);
	if (r == 0)
		*ret = TAKE(done);
	return r;
}
