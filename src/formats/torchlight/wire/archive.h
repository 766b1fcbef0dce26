/* SPDX-License-Identifier: Zlib */
/*
 * archive: a MOD, or a PAK with its manifest, found out by structure and read as far as its tables.
 */
#pragma once

#include "formats/format.h"
#include "formats/torchlight/wire/manifest.h"
#include "formats/torchlight/wire/modheader.h"
#include "formats/torchlight/wire/pak.h"

struct archive {
	struct mod_header *header; /* NULL for a PAK */
	struct manifest *manifest;
	struct extent section;   /* the PAK section */
	uint32_t section_header; /* 8, or 4 in an early archive: the length of its header */
	bool hash_ok;            /* the section's hash is right; true where there is none */
	struct bytes *removed; /* what it hides of the game's: full paths, each with a line feed */
};

/* Archives of other games with the same endings: what it is, for a message, or NULL. */
const char *archive_foreign(const uint8_t *head, size_t n, uint64_t size);

/*
 * Reads the tables, and tells removed files from empty ones: entries without a place whose path the
 * header lists, or any without a place where no header has a list. Nothing is inflated and no block
 * is looked at, but for the bytes that the hash samples. -EINVAL: which field is wrong.
 */
int archive_open(const struct extent *file, const struct extent *man, struct archive **ret,
	struct error *e); /* man: the manifest of a PAK; NULL: file is a MOD */
int archive_open_source(const struct source *src, bool pak, struct archive **ret, struct error *e);
void archive_free(struct archive *a);
DEFINE_CLEANUP(struct archive, archive_free);

/*
 * Do the blocks of the section and the manifest belong together? Beside the PAK may lie the
 * manifest of another version of it, and what is saved by that one destroys the files of both.
 * Compares the headers of `most` blocks (0: of all), spread over the section, the first and the
 * last among them, with what the manifest says of them. -EINVAL names the first that differs.
 */
enum { AGREE_SAMPLE = 64 };

int agree_check(const struct archive *a, unsigned most, struct error *e);
