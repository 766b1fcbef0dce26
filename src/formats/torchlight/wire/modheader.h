/* SPDX-License-Identifier: Zlib */
/*
 * modheader: the header of a MOD.
 *
 * u16 version (1..4); u16 mod version; u16 x 4 game version (from 4); (mod version + 1) x 9 bytes
 * (1 only); u32 offset of the PAK section, which is the header's length; u32 offset of the
 * manifest; SS title, author, description, website, download; i64 id; u32 flags; u64 hash of the
 * requirements; u16 n x { SS name; i64 id; u16 version (from 2) }; u16 n x SS removed path (from
 * 3).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/disk/file.h"
#include "base/error.h"

enum { MOD_VERSION = 4, MOD_GAME_VERSION_WORDS = 4 };

enum mod_string { MOD_TITLE, MOD_AUTHOR, MOD_DESCRIPTION, MOD_WEBSITE, MOD_DOWNLOAD, MOD_STRINGS };

/* Owned bytes, usually UTF-8, with a NUL after the n bytes. */
struct text {
	char *s; /* NULL if it was never set */
	size_t n;
};

bool text_same(const struct text *a, const struct text *b); /* "" and a text never set are equal */
/* Replace *t by a copy of data. -ENOMEM. */
int text_set(struct text *t, const void *data, size_t n);

struct mod_header {
	atomic_uint refs;
	uint16_t version;
	uint16_t mod_version;
	uint16_t game_version[MOD_GAME_VERSION_WORDS]; /* the high word first: 1, 25, 5, 6 */
	struct text legacy;                            /* the bytes that only version 1 has */
	uint32_t data_offset, manifest_offset;         /* as read; modheader_write computes them */
	struct text strings[MOD_STRINGS];
	int64_t id;
	uint32_t flags;
	uint64_t requirements_hash;
	uint16_t n_requirements;
	struct text requirements; /* the stored bytes */
	struct text removed;      /* full paths, each with a line feed */
};

/* Could a file with these first n bytes have a header? False if n is below 40. */
bool modheader_sniff(const uint8_t *data, size_t n);

/* Read the header of a file; reads little more than the header. -EINVAL: its version is unknown, it
 * reaches past the end, its length is not the offset of the PAK section, the manifest is outside of
 * the file, or a removed path has a line feed. */
int modheader_read(const struct extent *mod, struct mod_header **ret, struct error *e);
struct mod_header *modheader_ref(struct mod_header *h); /* NULL is fine */
void modheader_unref(struct mod_header *h);
DEFINE_CLEANUP(struct mod_header, modheader_unref);
/* A copy, which the caller may change until it shares it. NULL if memory is exhausted, or if
 * modheader_write refuses h. */
struct mod_header *modheader_copy(const struct mod_header *h);

/* Append the header with computed offsets: its own length, and that plus section_size. -EFBIG: an
 * offset has more than 32 bits. -EINVAL: a string or list is too long. */
int modheader_write(
	const struct mod_header *h, uint64_t section_size, struct buffer *out, struct error *e);
