/* SPDX-License-Identifier: Zlib */
/*
 * section: lay out the new PAK section as a list of pieces. This comes before any write, because
 * the hash of the section is at its begin.
 *
 * Old blocks keep their order, and the bytes between two blocks that stay are copied. New blocks
 * follow. So an unchanged archive is written byte for byte.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/disk/spool.h"
#include "formats/torchlight/save/write.h"
#include "formats/torchlight/wire/removed.h"

enum { TAIL_MAX = 1 << 20, REMOVED_TAIL = 4 };

/* A block of the old section. */
struct old_block {
	uint32_t offset;
	uint32_t handle;
	uint32_t entry; /* of the new manifest, or NONE */
};

enum { NONE = UINT32_MAX };

struct section_layout {
	const struct tl_map *m;
	const struct archive *base;
	struct tl_plan *p;
	bool force;
	struct old_block *old;
	size_t n_old;
};

static int add_piece(struct tl_plan *p, const struct extent *x, struct error *e)
{
	struct tl_piece *last = p->n_pieces ? &p->pieces[p->n_pieces - 1] : NULL;

	if (!x->size)
		return 0;
	/* Merge adjacent pieces. */
	if (last && !x->mem && !last->x.mem && last->x.file == x->file &&
		last->x.off + last->x.size == x->off) {
		last->x.size += x->size;
		p->size += x->size;
		return 0;
	}
	if (!array_reserve(p->pieces, p->n_pieces, p->room))
		return error_set(e, -ENOMEM, "out of memory");
	p->pieces[p->n_pieces++] = (struct tl_piece){extent_ref(x), p->size};
	p->size += x->size;
	return 0;
}

static int add_bytes(struct tl_plan *p, const void *data, size_t n, struct error *e)
{
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct bytes *b = bytes_copy(data, n);

	if (!b)
		return error_set(e, -ENOMEM, "out of memory");
	x = extent_of_bytes(b);
	return add_piece(p, &x, e);
}

static int add_old(struct section_layout *l, uint64_t from, uint64_t to, struct error *e)
{
	CLEANUP_EXTENT struct extent x = extent_ref(&l->base->section);

	x.off += from;
	x.size = to - from;
	return to > from ? add_piece(l->p, &x, e) : 0;
}

/* Set the offset of the next block. -EFBIG if it does not fit its field. */
static int place_block(struct section_layout *l, struct manifest_entry *x, struct error *e)
{
	if (l->p->size > UINT32_MAX - PAK_BLOCK_HEADER)
		return error_set(e, -EFBIG, "the archive would have more than %" PRIu32 " bytes",
			UINT32_MAX);
	x->offset = (uint32_t)l->p->size;
	return 0;
}

static int append_to_spool(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	return spool_append(arg, data, n, e);
}

static int inflate_into(struct blob *b, int spool_dirfd, struct extent *ret, struct error *e)
{
	CLEANUP(spool_destroy) struct spool *spool = spool_create(spool_dirfd);
	int r = spool ? blob_for_each_chunk(b, append_to_spool, spool, e)
		      : error_set(e, -ENOMEM, "out of memory");

	return r < 0 ? r : spool_extent(spool, ret, e);
}

static int encode_content(const struct section_layout *l, struct tl_content *c, uint8_t type,
	struct extent *ret, bool *ret_stored, struct error *e)
{
	bool stored = !c->blob->size || pak_is_stored(type, c->blob->size);
	int dirfd = l->m->shared->store->spool_dirfd;

	*ret_stored = stored;
	if (!l->force && (c->blob->coding == BLOB_RAW) == stored) {
		*ret = extent_ref(&c->blob->stored);
		return 0;
	}
	return stored ? inflate_into(c->blob, dirfd, ret, e)
		      : deflate_from(blob_read_fn, c->blob, c->blob->size, dirfd, ret, e);
}

/* Add a block for a content that is new, or encoded again. */
static int add_new_block(struct section_layout *l, uint32_t entry, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	CLEANUP_EXTENT struct extent body = EXTENT_INIT;
	struct manifest_entry *x = &l->p->manifest.entries[entry];
	uint8_t head[PAK_BLOCK_HEADER];
	bool stored = false;
	int r = tl_map_content(l->m, x->handle, &c, e);

	if (r == 0)
		r = encode_content(l, c, x->type, &body, &stored, e);
	if (r == 0)
		r = place_block(l, x, e);
	if (r < 0)
		return r;
	x->usize = (uint32_t)c->blob->size;
	x->crc = c->crc;
	l->p->fresh[entry] = true;
	store_u32(head, x->usize);
	store_u32(head + 4, stored ? 0 : (uint32_t)body.size);
	if (!stored && body.size > l->p->largest)
		l->p->largest = (uint32_t)body.size;
	r = add_bytes(l->p, head, sizeof(head), e);
	return r < 0 ? r : add_piece(l->p, &body, e);
}

/* The end of an old block; if the block is invalid, the offset of the next one. */
static uint64_t old_end(const struct section_layout *l, size_t i, uint32_t *ret_csize)
{
	struct pak_block b;
	size_t next = i + 1;

	*ret_csize = 0;
	if (pak_block_read(&l->base->section, l->old[i].offset, &b, NULL) == 0) {
		*ret_csize = b.csize;
		return b.data_at + b.data_n;
	}
	while (next < l->n_old && l->old[next].offset == l->old[i].offset)
		next++;
	return next < l->n_old ? l->old[next].offset : l->base->section.size;
}

/* With force, encode every file again; one that cannot be decoded is copied. */
static bool is_remade(const struct section_layout *l, uint32_t handle)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;

	if (tl_map_file(l->m, handle))
		return true;
	return l->force && tl_map_content(l->m, handle, &c, NULL) == 0 &&
	       tl_content_check(c, NULL) == 0;
}

static int add_copied(
	struct section_layout *l, size_t i, uint64_t end, uint32_t csize, struct error *e)
{
	const struct old_block *o = &l->old[i];
	int r = place_block(l, &l->p->manifest.entries[o->entry], e);

	if (r < 0)
		return r;
	if (csize > l->p->largest)
		l->p->largest = csize;
	return add_old(l, o->offset, end, e);
}

/* If the block was already copied for another entry, use that one. */
static bool use_shared_block(const struct section_layout *l, size_t i)
{
	struct manifest_entry *all = l->p->manifest.entries;

	for (size_t k = i; k-- > 0 && l->old[k].offset == l->old[i].offset;) {
		uint32_t with = l->old[k].entry;

		if (with == NONE || l->p->fresh[with] || tl_map_file(l->m, l->old[i].handle))
			continue;
		all[l->old[i].entry].offset = all[with].offset;
		return true;
	}
	return false;
}

static int add_old_blocks(struct section_layout *l, uint64_t *ret_end, struct error *e)
{
	uint64_t end = l->base->section_header;
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->n_old; i++) {
		const struct old_block *o = &l->old[i];
		uint32_t csize;
		uint64_t mine = old_end(l, i, &csize);

		if (o->entry != NONE && !use_shared_block(l, i)) {
			r = add_old(l, end, o->offset, e);
			if (r == 0 && is_remade(l, o->handle))
				r = add_new_block(l, o->entry, e);
			else if (r == 0)
				r = add_copied(l, i, mine, csize, e);
		}
		if (mine > end)
			end = mine;
	}
	*ret_end = end;
	return r;
}

static bool is_zero(const struct extent *section, uint64_t from, uint64_t n)
{
	CLEANUP(bytes_unref) struct bytes *data = NULL;
	struct extent x = *section; /* borrowed */

	x.off += from;
	x.size = n;
	if (extent_load(&x, TAIL_MAX, &data, NULL) < 0)
		return false;
	for (size_t i = 0; i < data->size; i++)
		if (data->data[i])
			return false;
	return true;
}

/* Add the bytes behind the last block. The game's tool writes four zero bytes for each removed
 * file; any other bytes are copied. */
static int add_tail(struct section_layout *l, uint64_t end, struct error *e)
{
	const struct archive *old = l->base;
	uint64_t size = old->section.size, n = size > end ? size - end : 0;
	/* Cannot overflow: the manifest needs more memory. */
	size_t zeros = (size_t)removed_count(&l->p->manifest) * REMOVED_TAIL;
	CLEANUP(free) void *data = NULL;

	if (size && (n != (uint64_t)removed_count(old->manifest) * REMOVED_TAIL ||
			    !is_zero(&old->section, end, n)))
		return n ? add_old(l, end, size, e) : 0;
	if (!zeros)
		return 0;
	data = calloc(1, zeros);
	if (!data)
		return error_set(e, -ENOMEM, "out of memory");
	return add_bytes(l->p, data, zeros, e);
}

static int by_offset(const void *x, const void *y)
{
	const struct old_block *a = x, *b = y;

	return array_compare(a->offset, b->offset) ?: array_compare(a->handle, b->handle);
}

/* Collect the entries, without offsets yet, and the blocks of the old section. */
static int collect_blocks(struct section_layout *l)
{
	const struct manifest *old = l->base->manifest, *m = tl_manifest(l->m);
	CLEANUP(free) uint32_t *wanted = calloc((size_t)old->n_entries + 1, sizeof(*wanted));

	l->old = calloc((size_t)old->n_entries + 1, sizeof(*l->old));
	if (!wanted || !l->old)
		return -ENOMEM;
	memset(wanted, 0xFF, old->n_entries * sizeof(*wanted));
	for (uint32_t i = 0; i < m->n_entries; i++) {
		struct manifest_entry *x = &l->p->manifest.entries[i];
		const struct manifest_entry *was = manifest_file(old, m->entries[i].handle);

		*x = m->entries[i];
		x->offset = 0;
		x->usize = was ? was->usize : 0;
		x->crc = was ? was->crc : 0;
		x->filetime = tl_time_of(l->m, &m->entries[i]);
		if (was)
			wanted[x->handle] = i;
	}
	for (uint32_t i = 0; i < old->n_entries; i++)
		if (manifest_file(old, i) && old->entries[i].offset)
			l->old[l->n_old++] =
				(struct old_block){old->entries[i].offset, i, wanted[i]};
	if (l->n_old)
		qsort(l->old, l->n_old, sizeof(*l->old), by_offset);
	return 0;
}

/* Add blocks for files that have none in the old section. */
static int add_new_blocks(struct section_layout *l, struct error *e)
{
	const struct manifest *m = &l->p->manifest;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < m->n_entries; i++) {
		uint32_t h = m->entries[i].handle;
		const struct manifest_entry *was = manifest_file(l->base->manifest, h);

		/* An unchanged empty file needs no block. */
		if (h == MANIFEST_NO_FILE || (was && (was->offset || !tl_map_file(l->m, h))))
			continue;
		r = add_new_block(l, i, e);
	}
	return r;
}

static int read_section(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct tl_plan *p = arg;
	/* The piece behind the one at off. The hash reads one byte at a time. */
	size_t i = array_bisect(k, p->n_pieces, p->pieces[k].at > off);

	if (i-- == 0 || off - p->pieces[i].at + n > p->pieces[i].x.size)
		return error_set(e, -EIO, "the archive's layout has a gap at %" PRIu64, off);
	return extent_read(&p->pieces[i].x, off - p->pieces[i].at, dst, n, e);
}

static int lay_out_section(struct section_layout *l, struct error *e)
{
	uint64_t end = 0;
	int r = collect_blocks(l);

	if (r < 0)
		return error_set(e, r, "out of memory");
	l->p->header_size = l->base->section_header;
	l->p->size = l->p->header_size;
	r = add_old_blocks(l, &end, e);
	/* The tail follows the last block, so new blocks come before it. */
	if (r == 0)
		r = add_new_blocks(l, e);
	if (r == 0)
		r = add_tail(l, end, e);
	if (r == 0 && l->p->size > UINT32_MAX)
		r = error_set(e, -EFBIG,
			"the archive would have %" PRIu64 " bytes (at most %" PRIu32 ")",
			l->p->size, UINT32_MAX);
	if (r == 0 && l->p->header_size >= PAK_HEADER)
		r = pak_hash(read_section, l->p, l->p->size, &l->p->hash, e);
	return r;
}

int tl_layout(const struct tl_map *m, bool force, struct tl_plan *p, struct error *e)
{
	struct section_layout l = {.m = m, .base = m->shared->archive, .p = p, .force = force};
	int r = lay_out_section(&l, e);

	free(l.old);
	return r;
}
