/* SPDX-License-Identifier: Zlib */
/*
 * pak: the PAK section of an archive, which holds the files' bytes.
 *
 * u32 largest compressed size; u32 hash (an early version has neither hash nor its four bytes: the
 * smallest offset in the manifest is the header's length); blocks { u32 size; u32 compressed size;
 * zlib stream }. Compressed size 0: the bytes follow as they are. The game ignores an archive with
 * a wrong hash without a word.
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
	PAK_STORED_FROM = 0x1900000, /* larger files are stored by the game's tool */
};

struct pak_block {
	uint32_t usize;
	uint32_t csize;   /* 0: stored */
	uint64_t data_at; /* in the section */
	uint32_t data_n;
};

/* The block at an entry's offset. -EIO where it reaches past the section. */
int pak_block_read(
	const struct extent *section, uint32_t offset, struct pak_block *ret, struct error *e);
/* The bytes of a block as they are stored: a new reference. */
struct extent pak_block_data(const struct extent *section, const struct pak_block *b);

/* Would the game's tool store it as it is? */
bool pak_is_stored(uint8_t type, uint64_t usize);

/*
 * The hash of a section of n bytes, from some 25 to 150 of them; read gives bytes of the section as
 * it will be, so that it is known before the section is written.
 */
int pak_hash(codec_read_fn read, void *arg, uint64_t n, uint32_t *ret, struct error *e);
