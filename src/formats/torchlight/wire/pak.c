/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/pak.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cursor.h"
#include "formats/torchlight/wire/wire.h"

int pak_block_read(
	const struct extent *section, uint32_t offset, struct pak_block *ret, struct error *e)
{
	uint8_t head[PAK_BLOCK_HEADER];
	struct pak_block b;
	int r;

	if (offset < PAK_HEADER_EARLY || (uint64_t)offset + PAK_BLOCK_HEADER > section->size)
		return error_set(e, -EIO, "its offset is %" PRIu32 " (%d..%" PRIi64 ")", offset,
			PAK_HEADER_EARLY, (int64_t)section->size - PAK_BLOCK_HEADER);
	r = extent_read(section, offset, head, sizeof(head), e);
	if (r < 0)
		return r;
	b.usize = load_u32(head);
	b.csize = load_u32(head + 4);
	b.data_at = (uint64_t)offset + PAK_BLOCK_HEADER;
	b.data_n = b.csize ? b.csize : b.usize;
	if (b.data_n > section->size - b.data_at)
		return error_set(e, -EIO,
			"its block at %" PRIu32 " has %" PRIu32 " bytes (at most %" PRIu64 ")",
			offset, b.data_n, section->size - b.data_at);
	*ret = b;
	return 0;
}

struct extent pak_block_data(const struct extent *section, const struct pak_block *b)
{
	struct extent x = extent_ref(section);

	x.off += b->data_at;
	x.size = b->data_n;
	return x;
}

bool pak_is_stored(uint8_t type, uint64_t usize)
{
	return type == MANIFEST_JPG || usize >= PAK_STORED_FROM;
}

int pak_hash(codec_read_fn read, void *arg, uint64_t n, uint32_t *ret, struct error *e)
{
	uint32_t size = (uint32_t)n, h = size;
	uint64_t step = n / (25 + UINT32_C(0x29777B41) * size % 51);
	uint8_t byte;
	int r;

	if (n <= PAK_HEADER) {
		*ret = 0;
		return 0;
	}
	if (step < 2)
		step = 2;
	for (uint64_t k = PAK_HEADER; k < n; k += step) {
		r = read(arg, k, &byte, 1, e);
		if (r < 0)
			return r;
		h = h * 33 + hash_byte(byte);
	}
	r = read(arg, n - 1, &byte, 1, e);
	if (r == 0)
		*ret = h * 33 + hash_byte(byte);
	return r;
}
