/* SPDX-License-Identifier: Zlib */
/* archive: the tables of a MOD, or of a PAK with its manifest. */
#pragma once

#include "formats/format.h"
#include "formats/torchlight/wire/manifest.h"
#include "formats/torchlight/wire/modheader.h"
#include "formats/torchlight/wire/pak.h"

struct archive {
	struct mod_header *header; /* NULL for a PAK */
	struct manifest *manifest;
	struct extent section;   /* the PAK section, with its header; owned reference */
	uint32_t section_header; /* length of the section's header: 8, or 4 in an early archive */
	bool hash_ok;            /* the hash of the section is right, or there is none */
	struct bytes *removed;   /* the list of removed files (removed_find); not NULL */
};

/* The kind of an archive of another game with the same endings, for a message; or NULL. */
const char *archive_foreign(const uint8_t *head, size_t n, uint64_t size);

/* Read the tables, and mark the entries of removed files (removed_find). man: the manifest of a
 * PAK, or NULL if file is a MOD. Nothing is inflated, and no block is read except for the bytes
 * that the hash samples. -EINVAL with the invalid field. */
int archive_open(
	const struct extent *file, const struct extent *man, struct archive **ret, struct error *e);
/* The same for the files of src. -EINVAL also if a PAK has no manifest. */
int archive_open_source(const struct source *src, bool pak, struct archive **ret, struct error *e);
void archive_free(struct archive *a);
DEFINE_CLEANUP(struct archive, archive_free);

/*
 * Check that the blocks of the section match the manifest. The manifest of another version can be
 * beside a PAK, and a save with it would destroy the files of both. Compares the sizes in the
 * headers of `most` blocks (0: all) with the manifest; they are spread over the section and include
 * the first and the last. -EINVAL names the first difference.
 */
enum { ARCHIVE_SAMPLE = 64 };

int archive_check_blocks(const struct archive *a, unsigned most, struct error *e);
