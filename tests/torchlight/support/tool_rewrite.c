/* SPDX-License-Identifier: Zlib */
/* Encodes all tables and blocks of an archive again. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "tool.h"

static int by_offset(const void *x, const void *y)
{
	const struct manifest_entry *a = *(const struct manifest_entry *const *)x;
	const struct manifest_entry *b = *(const struct manifest_entry *const *)y;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Copy bytes of the old section that belong to no block. */
static int copy_gap(const struct archive *a, uint64_t upto, struct buffer *out, struct error *e)
{
	size_t n = upto > out->size ? (size_t)(upto - out->size) : 0;
	uint8_t *to = buffer_reserve(out, n + 1);
	int r = n ? extent_read(&a->section, out->size, to, n, e) : 0;

	if (r == 0)
		out->size += n;
	return r;
}

static int put_block(const struct archive *a, const struct manifest_entry *x, struct buffer *out,
	uint32_t *largest, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	CLEANUP(bytes_unref) struct bytes *squeezed = NULL;
	CLEANUP_EXTENT struct extent plain = EXTENT_INIT;
	CLEANUP_EXTENT struct extent small = EXTENT_INIT;
	int r = load_entry(a, x, &b, e);

	if (r < 0)
		return r;
	buffer_u32(out, (uint32_t)b->size);
	if (pak_is_stored(x->type, b->size)) {
		buffer_u32(out, 0);
		buffer_append(out, b->data, b->size);
		return out->error;
	}
	plain = extent_of_bytes(bytes_ref(b));
	r = deflate_all(&plain, AT_FDCWD, &small, e);
	if (r == 0)
		r = extent_load(&small, UINT32_MAX, &squeezed, e);
	if (r < 0)
		return r;
	buffer_u32(out, (uint32_t)squeezed->size);
	buffer_append(out, squeezed->data, squeezed->size);
	if (squeezed->size > *largest)
		*largest = (uint32_t)squeezed->size;
	return out->error;
}

static int buffer_read(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct buffer *b = arg;

	(void)e;
	memcpy(dst, b->data + off, n);
	return 0;
}

static int rewrite_section(const struct archive *a, struct buffer *out, struct error *e)
{
	const struct manifest *m = a->manifest;
	const struct manifest_entry **sorted = calloc(m->n_entries + 1, sizeof(*sorted));
	uint32_t n = 0, largest = 0, hash;
	int r = 0;

	for (uint32_t i = 0; i < m->n_entries; i++)
		if (m->entries[i].offset)
			sorted[n++] = &m->entries[i];
	qsort(sorted, n, sizeof(*sorted), by_offset);
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		r = copy_gap(a, sorted[i]->offset, out, e);
		if (r == 0)
			r = put_block(a, sorted[i], out, &largest, e);
	}
	free(sorted);
	if (r == 0)
		r = copy_gap(a, a->section.size, out, e);
	if (r < 0)
		return r;
	store_u32(out->data, largest);
	if (a->section_header == PAK_HEADER_EARLY)
		return 0;
	r = pak_hash(buffer_read, out, out->size, &hash, e);
	store_u32(out->data + 4, hash);
	return r;
}

int rewrite(const struct archive *a, struct error *e)
{
	CLEANUP_BUFFER struct buffer header = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer section = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer man = BUFFER_INIT;
	int r = rewrite_section(a, &section, e);

	if (r == 0 && a->header)
		r = modheader_write(a->header, section.size, &header, e);
	if (r == 0)
		r = manifest_write(a->manifest, &man, e);
	if (r < 0)
		return r;
	emit(&header);
	emit(&section);
	emit(&man);
	return 0;
}
