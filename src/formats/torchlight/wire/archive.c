/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/archive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/wire/removed.h"

/* The manifest of the whole game has some 6 MB. */
enum { MANIFEST_MAX = 128 << 20 };

const char *archive_foreign(const uint8_t *head, size_t n, uint64_t size)
{
	if (n >= 4 && !memcmp(head, "PK\3\4", 4))
		return "a ZIP archive (such as PAK.ZIP of Torchlight I)";
	/* u16 version, u32 0, u32 offset of a manifest in the same file. */
	if (n >= 10 && (head[0] == 1 || head[0] == 5) && !head[1] && !load_u32(head + 2) &&
		load_u32(head + 6) > 10 && load_u32(head + 6) < size)
		return "an archive of Hob or Rebel Galaxy";
	return NULL;
}

static int read_manifest(const struct extent *man, struct archive *a, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *data = NULL;
	int r = extent_load(man, MANIFEST_MAX, &data, e);

	return r < 0 ? r : manifest_read(data->data, data->size, &a->manifest, e);
}

/* Blocks follow the section's header, so the smallest valid offset tells which header it is. */
static void find_header(struct archive *a)
{
	const struct manifest *m = a->manifest;
	uint32_t smallest = UINT32_MAX;

	for (uint32_t i = 0; i < m->n_entries; i++)
		if (m->entries[i].offset >= PAK_HEADER_EARLY && m->entries[i].offset < smallest)
			smallest = m->entries[i].offset;
	a->section_header = smallest < PAK_HEADER ? PAK_HEADER_EARLY : PAK_HEADER;
}

static int check_hash(struct archive *a, struct error *e)
{
	uint8_t stored[4];
	uint32_t hash;
	int r;

	a->hash_ok = true;
	if (a->section_header < PAK_HEADER || a->section.size < PAK_HEADER)
		return 0;
	r = extent_read(&a->section, 4, stored, sizeof(stored), e);
	if (r == 0)
		r = pak_hash(extent_read_fn, &a->section, a->section.size, &hash, e);
	if (r == 0)
		a->hash_ok = hash == load_u32(stored);
	return r;
}

static int read_tables(
	struct archive *a, const struct extent *file, const struct extent *man, struct error *e)
{
	CLEANUP_EXTENT struct extent end = extent_ref(man ? man : file);
	int r = man ? 0 : modheader_read(file, &a->header, e);

	if (r < 0)
		return r;
	a->section = extent_ref(file);
	if (a->header) {
		a->section.off += a->header->data_offset;
		a->section.size = a->header->manifest_offset - a->header->data_offset;
		end.off += a->header->manifest_offset;
		end.size -= a->header->manifest_offset;
	}
	r = read_manifest(&end, a, e);
	if (r < 0)
		return r;
	find_header(a);
	r = removed_find(a->manifest, a->header, &a->removed, e);
	return r < 0 ? r : check_hash(a, e);
}

int archive_open(
	const struct extent *file, const struct extent *man, struct archive **ret, struct error *e)
{
	CLEANUP(archive_free) struct archive *a = calloc(1, sizeof(*a));
	int r = a ? read_tables(a, file, man, e) : error_set(e, -ENOMEM, "out of memory");

	if (r == 0)
		*ret = TAKE(a);
	return r;
}

int archive_open_source(const struct source *src, bool pak, struct archive **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent file = EXTENT_INIT, man = EXTENT_INIT;

	if (pak && src->n_files < 2)
		return error_set(e, -EINVAL, "its manifest %s.MAN is missing", src->name);
	file = extent_of_file(file_ref(src->files[0]), 0, src->sizes[0]);
	if (pak)
		man = extent_of_file(file_ref(src->files[1]), 0, src->sizes[1]);
	return archive_open(&file, pak ? &man : NULL, ret, e);
}

void archive_free(struct archive *a)
{
	if (!a)
		return;
	modheader_unref(a->header);
	manifest_free(a->manifest);
	bytes_unref(a->removed);
	extent_finish(&a->section);
	free(a);
}

static int by_offset(const void *x, const void *y, void *arg)
{
	const struct manifest_entry *all = arg;
	uint32_t a = all[*(const uint32_t *)x].offset, b = all[*(const uint32_t *)y].offset;

	return (a > b) - (a < b);
}

static int check_block(const struct archive *a, const struct manifest_entry *x, struct error *e)
{
	const struct manifest *m = a->manifest;
	const struct str path = manifest_path(m, &m->records[x->record]);
	const struct str name = manifest_name(m, x);
	struct error why = ERROR_INIT;
	struct pak_block b;
	int r = pak_block_read(&a->section, x->offset, &b, &why);

	if (r == 0 && b.usize == x->usize)
		return 0;
	if (r == 0)
		error_set(&why, -EINVAL,
			"its block has %" PRIu32 " bytes (the manifest says %" PRIu32 ")", b.usize,
			x->usize);
	return error_set(e, -EINVAL, "%.*s%.*s: %s", STR_SHORT(path, 300), STR_SHORT(name, 300),
		error_text(&why));
}

int archive_check_blocks(const struct archive *a, unsigned most, struct error *e)
{
	const struct manifest *m = a->manifest;
	CLEANUP(free) uint32_t *sorted = calloc((size_t)m->n_entries + 1, sizeof(*sorted));
	uint32_t n = 0, count;
	int r = 0;

	if (!sorted)
		return error_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < m->n_entries; i++)
		if (m->entries[i].offset)
			sorted[n++] = i;
	qsort_r(sorted, n, sizeof(*sorted), by_offset, m->entries);
	count = most && most < n ? most : n;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		uint32_t at = count > 1 ? (uint32_t)((uint64_t)i * (n - 1) / (count - 1)) : 0;

		r = check_block(a, &m->entries[sorted[at]], e);
	}
	return r;
}
