/* SPDX-License-Identifier: Zlib */
/*
 * pak: the PAK section of an archive, which holds the bytes of the files.
 *
 * u32 largest compressed size; u32 hash (missing in an early version: there the smallest offset in
 * the manifest is 4); blocks { u32 size; u32 compressed size; zlib stream }. If the compressed size
 * is 0, the bytes follow uncompressed. The game silently ignores an archive with a wrong hash.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/disk/file.h"
#include "codec/zlib/inflate.h"
#include "formats/torchlight/wire/manifest.h"

enum {
	PAK_HEADER = 8,
	PAK_HEADER_EARLY = 4,
	PAK_BLOCK_HEADER = 8,
	PAK_STORED_FROM =
		0x1900000, /* the game's tool stores files of this size or more uncompressed */
};

struct pak_block {
	uint32_t usize;
	uint32_t csize;   /* 0: uncompressed */
	uint64_t data_at; /* in the section */
	uint32_t data_n;
};

/* Read the header of the block at an entry's offset. -EIO if the block is not in the section. */
int pak_block_read(
	const struct extent *section, uint32_t offset, struct pak_block *ret, struct error *e);
/* The stored bytes of a block; a new reference. */
struct extent pak_block_data(const struct extent *section, const struct pak_block *b);

/* Does the game's tool store such a file uncompressed? */
bool pak_is_stored(uint8_t type, uint64_t usize);

/* Compute the hash of a section of n bytes, with its header, from a sample of some 25 to 150 bytes.
 * read(arg, off, dst, size, e) supplies bytes of the section, which need not be written yet. */
int pak_hash(codec_read_fn read, void *arg, uint64_t n, uint32_t *ret, struct error *e);
