/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/archive.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/wire/removed.h"

/* The manifest of the whole game has some 6 MB. */
enum { MANIFEST_MAX = 128 << 20 };

const char *archive_foreign(const uint8_t *head, size_t n, uint64_t size)
{
	if (n >= 4 && !memcmp(head, "PK\3\4", 4))
		return "a ZIP archive (Torchlight I's PAK.ZIP is one)";
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

/* The smallest offset is the length of the section's header. One that lies nowhere is the trouble
 * of its entry (agree.h). */
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

static int finish_open(struct archive *a, const struct extent *man, struct error *e)
{
	int r = read_manifest(man, a, e);

	if (r < 0)
		return r;
	find_header(a);
	r = removed_find(a->manifest, a->header, &a->n_removed, &a->removed, e);
	return r < 0 ? r : check_hash(a, e);
}

int archive_open_mod(const struct extent *mod, struct archive **ret, struct error *e)
{
	CLEANUP(archive_free) struct archive *a = calloc(1, sizeof(*a));
	CLEANUP_EXTENT struct extent man = EXTENT_INIT;
	int r;

	if (!a)
		return error_set(e, -ENOMEM, "no memory for the archive");
	r = modheader_read(mod, &a->header, e);
	if (r < 0)
		return r;
	a->section = extent_ref(mod);
	a->section.off += a->header->data_offset;
	a->section.size = a->header->manifest_offset - a->header->data_offset;
	man = extent_ref(mod);
	man.off += a->header->manifest_offset;
	man.size -= a->header->manifest_offset;
	r = finish_open(a, &man, e);
	if (r == 0)
		*ret = TAKE(a);
	return r;
}

int archive_open_pak(
	const struct extent *pak, const struct extent *man, struct archive **ret, struct error *e)
{
	CLEANUP(archive_free) struct archive *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return error_set(e, -ENOMEM, "no memory for the archive");
	a->section = extent_ref(pak);
	r = finish_open(a, man, e);
	if (r == 0)
		*ret = TAKE(a);
	return r;
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
