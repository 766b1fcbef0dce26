/* SPDX-License-Identifier: Zlib */
/*
 * modheader: the begin of a MOD.
 *
 * u16 version (1..4); u16 mod version; u16 x 4 game version (4 on); (mod version + 1) x 9 bytes (1
 * only); u32 offset of the PAK section, which is the header's length; u32 offset of the manifest;
 * SS title, author, description, website, download; i64 id; u32 flags; u64 hash of the
 * requirements; u16 n x { SS name; i64 id; u16 version (2 on) }; u16 n x SS removed path (3 on).
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

/* UTF-8 that is owned, with a NUL after its n bytes. */
struct text {
	char *s;
	size_t n;
};

bool text_same(const struct text *a, const struct text *b);
/* A copy in place of what it was. -ENOMEM. */
int text_set(struct text *t, const void *data, size_t n);

struct mod_header {
	atomic_uint refs;
	uint16_t version;
	uint16_t mod_version;
	uint16_t game_version[MOD_GAME_VERSION_WORDS]; /* the high word first: 1, 25, 5, 6 */
	struct text legacy;                            /* version 1's bytes, as they stand */
	uint32_t data_offset, manifest_offset;
	struct text strings[MOD_STRINGS];
	int64_t id;
	uint32_t flags;
	uint64_t requirements_hash;
	uint16_t n_requirements;
	struct text requirements; /* as they stand */
	struct text removed;      /* full paths, each with a line feed */
};

/* By the first bytes: could it be a header? */
bool modheader_sniff(const uint8_t *data, size_t n);

/*
 * Reads from the file's begin, no more than the header needs, about. -EINVAL: not a sound one: the
 * version, a string past the end, or a header that does not end where the PAK section begins.
 */
int modheader_read(const struct extent *mod, struct mod_header **ret, struct error *e);
struct mod_header *modheader_ref(struct mod_header *h); /* NULL is fine */
void modheader_unref(struct mod_header *h);
DEFINE_CLEANUP(struct mod_header, modheader_unref);
/* To be changed by who made it, until others have it, too. NULL: no memory. */
struct mod_header *modheader_copy(const struct mod_header *h);

/* Appends it with both offsets: the header's own length, and that plus section_size. -EFBIG;
 * -EINVAL: a field has no room for what it should hold. */
int modheader_write(
	const struct mod_header *h, uint64_t section_size, struct buffer *out, struct error *e);
