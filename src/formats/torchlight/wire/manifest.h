/* SPDX-License-Identifier: Zlib */
/*
 * manifest: the table of an archive (X.PAK.MAN, or the end of a MOD).
 *
 * u16 version (0 or 2); u32 mhash, in version 2 only; SS root ("MEDIA/"); u32 total; u32 n x record
 * { SS full path ("" or ending in '/'); u32 n x entry { u32 CRC-32 of the inflated bytes; u8 type;
 * SS name; u32 offset in the PAK section, 0 if nothing is stored; u32 size; u64 FILETIME } }.
 *
 * A directory may have several records: the modding kit writes one for its files and a later one
 * for its subdirectories. A name may occur twice in a directory. Records and entries keep their
 * order here, so that an unchanged manifest is written byte for byte (as a tree: tree.h).
 */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "formats/torchlight/wire/wire.h"

enum {
	MANIFEST_DIR = 7,    /* types: a directory */
	MANIFEST_OTHER = 18, /* a file with an unknown ending */
	MANIFEST_JPG = 24,
	MANIFEST_STEP = 20, /* the step of mhash in a new manifest */
};

/* The handle of a directory or a removed file. */
#define MANIFEST_NO_FILE UINT32_MAX

struct manifest_entry {
	uint64_t filetime; /* 100 ns since 1601-01-01 UTC; 0 for directories and removed files */
	uint32_t crc;
	uint32_t offset;
	uint32_t usize;
	uint32_t name_at, name_n; /* in manifest.text */
	uint32_t record;          /* its index in manifest.records */
	uint32_t handle;          /* of a file in a manifest that was read: the entry's own index */
	uint8_t type;
};

/* Is it a removed file, which hides the game's file of this path? False for every entry until
 * removed_find (removed.h) has changed the handles; manifest_read does not call it. */
static inline bool manifest_removed(const struct manifest_entry *x)
{
	return x->handle == MANIFEST_NO_FILE && x->type != MANIFEST_DIR;
}

struct manifest_record {
	uint32_t path_at, path_n; /* in manifest.text */
	uint32_t first, n;        /* range of its entries */
};

struct manifest {
	uint16_t version;
	uint32_t mhash;
	unsigned step;  /* the step that gives the stored mhash; 0: none does, or it has no mhash */
	uint32_t total; /* as read; manifest_write computes it */
	uint32_t root_at, root_n;
	struct manifest_record *records;
	struct manifest_entry *entries;
	uint32_t n_records, n_entries;
	uint32_t room_records, room_entries;
	struct buffer text; /* all names and paths, UTF-8, NUL-ended */
};

/* Read a manifest. -EINVAL: it is invalid; the text names the field, its value and the bound. */
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

/* The entry of a handle in a manifest that was read; NULL if the handle is no file of it. */
static inline const struct manifest_entry *manifest_file(const struct manifest *m, uint32_t handle)
{
	return handle < m->n_entries && m->entries[handle].handle == handle ? &m->entries[handle]
									    : NULL;
}

/* Append the full path of an entry, from "MEDIA/" on, without a NUL; a directory has its '/'. */
void manifest_put_path(
	const struct manifest *m, const struct manifest_entry *x, struct buffer *out);
/* The type that the game's tool gives to a name of this ending; '/' gives MANIFEST_DIR. */
uint8_t manifest_type(struct str name);

/* Build a manifest: add a record, then its entries, then the next record. Names are copied, and set
 * name_at, name_n and record of the entry. A failure is sticky (text.error), and makes
 * manifest_write fail with -ENOMEM. manifest_new returns NULL if memory is exhausted. */
struct manifest *manifest_new(uint16_t version, struct str root);
void manifest_add_record(struct manifest *m, struct str path);
void manifest_add_entry(struct manifest *m, const struct manifest_entry *x, struct str name);

/* Write the manifest to out, which must be empty. total and mhash are computed: total is the number
 * of non-directory entries, plus the slashes in the path of each directory that has any. mhash uses
 * m->step, or MANIFEST_STEP if that is 0. -EINVAL: a string is too long. -EFBIG: 4 GiB or more. */
int manifest_write(const struct manifest *m, struct buffer *out, struct error *e);

/* Compute mhash: h = 0x202A; for every step-th byte from the first: h = h * 33 + signed byte. */
uint32_t manifest_hash(const uint8_t *data, size_t size, unsigned step);
