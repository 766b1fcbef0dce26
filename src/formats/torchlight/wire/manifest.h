/* SPDX-License-Identifier: Zlib */
/*
 * manifest: the table of an archive (X.PAK.MAN, or the end of a MOD).
 *
 * u16 version (0 or 2); u32 mhash, of version 2 only; SS root ("MEDIA/"); u32 total; u32 n x record
 * { SS full path ("" or ending in '/'); u32 n x entry { u32 CRC-32 of the inflated bytes; u8 type;
 * SS name; u32 offset in the PAK section, 0 where nothing is stored; u32 size; u64 FILETIME } }.
 *
 * A directory may be recorded more than once (the kit records its files and, later, its
 * subdirectories), and a name may occur twice in one. Records and entries stay in their order here,
 * so that they can be written again as they were; tree.h has them as a tree.
 */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "formats/torchlight/wire/wire.h"

enum {
	MANIFEST_DIR = 7,    /* types: a directory */
	MANIFEST_OTHER = 18, /* an unknown ending */
	MANIFEST_JPG = 24,
	MANIFEST_STEP = 20, /* of a new mhash */
};

struct manifest_entry {
	uint64_t filetime; /* 100 ns since 1601-01-01 UTC; 0 for directories and removed files */
	uint32_t crc;
	uint32_t offset;
	uint32_t usize;
	uint32_t name_at, name_n; /* in text */
	uint32_t record;
	uint8_t type;
	bool removed; /* not a file: the game's own of this name is to be hidden (archive.h) */
};

struct manifest_record {
	uint32_t path_at, path_n; /* in text */
	uint32_t first, n;        /* of the entries */
};

struct manifest {
	uint16_t version;
	uint32_t mhash;
	unsigned step; /* with which mhash comes out right; 0: with none */
	uint32_t total;
	uint32_t root_at, root_n;
	struct manifest_record *records;
	uint32_t n_records;
	struct manifest_entry *entries;
	uint32_t n_entries;
	const char *text; /* all names, UTF-8 */
	struct bytes *text_bytes;
};

/* Reads all of data. -EINVAL: not a sound manifest; the text names field, value and bound. */
int manifest_read(const uint8_t *data, size_t size, struct manifest **ret, struct error *e);
void manifest_free(struct manifest *m);
DEFINE_CLEANUP(struct manifest, manifest_free);

static inline struct str manifest_name(const struct manifest *m, const struct manifest_entry *x)
{
	return (struct str){m->text + x->name_at, x->name_n};
}

static inline struct str manifest_path(const struct manifest *m, const struct manifest_record *r)
{
	return (struct str){m->text + r->path_at, r->path_n};
}

static inline struct str manifest_root(const struct manifest *m)
{
	return (struct str){m->text + m->root_at, m->root_n};
}

/* The type by a name's ending, as the game's tool gives it. */
uint8_t manifest_type(struct str name);

/*
 * Writing: begin, then each record with its entries in order, then end, which fills in the counts,
 * total (files, and the slashes in the paths of the directories that hold any) and mhash with the
 * given step. Failures are sticky; end reports them.
 */
struct manifest_writer {
	struct buffer *out; /* the caller's, empty at the begin */
	uint16_t version;
	size_t total_at, entries_at;
	uint32_t n_records, n_entries, n_files;
	bool record_has_file;
	size_t path_at;      /* of the current record, in out */
	struct buffer paths; /* u64 places in out, of the records that hold files */
	int error;
	struct error why;
};

void manifest_begin(
	struct manifest_writer *w, struct buffer *out, uint16_t version, struct str root);
void manifest_put_record(struct manifest_writer *w, struct str path);
void manifest_put_entry(struct manifest_writer *w, const struct manifest_entry *x, struct str name);
int manifest_end(struct manifest_writer *w, unsigned step, struct error *e);

/* mhash: h = 0x202A; for every step-th byte from the first h = h * 33 + the byte as signed. */
uint32_t manifest_hash(const uint8_t *data, size_t size, unsigned step);
