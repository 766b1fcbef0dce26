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

/* The handle of an entry that is no file. */
#define MANIFEST_NO_FILE UINT32_MAX

struct manifest_entry {
	uint64_t filetime; /* 100 ns since 1601-01-01 UTC; 0 for directories and removed files */
	uint32_t crc;
	uint32_t offset;
	uint32_t usize;
	uint32_t name_at, name_n; /* in text */
	uint32_t record;
	uint32_t handle; /* which file it is: its own number, where it was read */
	uint8_t type;
};

/* Not a file: the game's own of this name is to be hidden (archive.h). */
static inline bool manifest_removed(const struct manifest_entry *x)
{
	return x->handle == MANIFEST_NO_FILE && x->type != MANIFEST_DIR;
}

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
	struct manifest_entry *entries;
	uint32_t n_records, n_entries;
	uint32_t room_records, room_entries;
	struct buffer text; /* all names, UTF-8, each with a NUL behind it */
};

/* Reads all of data. -EINVAL: not a sound manifest; the text names field, value and bound. */
int manifest_read(const uint8_t *data, size_t size, struct manifest **ret, struct error *e);
void manifest_free(struct manifest *m);
DEFINE_CLEANUP(struct manifest, manifest_free);

static inline struct str manifest_name(const struct manifest *m, const struct manifest_entry *x)
{
	return (struct str){(const char *)m->text.data + x->name_at, x->name_n};
}

static inline struct str manifest_path(const struct manifest *m, const struct manifest_record *r)
{
	return (struct str){(const char *)m->text.data + r->path_at, r->path_n};
}

static inline struct str manifest_root(const struct manifest *m)
{
	return (struct str){(const char *)m->text.data + m->root_at, m->root_n};
}

/* The file of a handle, in a manifest that was read; NULL: none. */
static inline const struct manifest_entry *manifest_file(const struct manifest *m, uint32_t handle)
{
	return handle < m->n_entries && m->entries[handle].handle == handle ? &m->entries[handle]
									    : NULL;
}

/* Appends the whole path of an entry. */
void manifest_put_path(
	const struct manifest *m, const struct manifest_entry *x, struct buffer *out);

/* The type by a name's ending, as the game's tool gives it. */
uint8_t manifest_type(struct str name);

/*
 * Making one: each record is followed by its entries, whose names and records follow from that.
 * Failures are sticky, as text's error. NULL: no memory.
 */
struct manifest *manifest_new(uint16_t version, struct str root);
void manifest_add_record(struct manifest *m, struct str path);
void manifest_add_entry(struct manifest *m, const struct manifest_entry *x, struct str name);

/* Appends it to out, which is empty. What follows from its entries is made anew: total (files, and
 * the slashes in the paths of the directories that hold any), and mhash with its step. */
int manifest_write(const struct manifest *m, struct buffer *out, struct error *e);

/* mhash: h = 0x202A; for every step-th byte from the first h = h * 33 + the byte as signed. */
uint32_t manifest_hash(const uint8_t *data, size_t size, unsigned step);
