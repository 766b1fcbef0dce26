/* SPDX-License-Identifier: Zlib */
/*
 * layout_extra: the extra data of timelines and logic groups in a compiled layout.
 *
 * Logic group: u8 n x { u8 id; i64 object; f32 x; f32 y; u32 file offset of the record's end; u8 n
 * x { u8 to; SS output; SS input } }. Timeline: u8 n x { i64 object; u8 n x { SS property; SS event
 * (one of them empty); u8 n x { f32 percent; u8 interpolation; SS value, for a property only } } }.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"

/* Append the blocks for bytes [begin, end) of the file, at least one, to out; [EXTRADATA] if they
 * are invalid or no text can hold them. type, id: of the object. depth: tabs before a block. */
void layout_extra_decode(uint8_t type, const uint8_t *file, size_t begin, size_t end, int64_t id,
	unsigned depth, struct buffer *out);

/* Can layout_extra_decode have written this block? */
bool layout_is_extra(const struct dat_block *b);
/* Append the bytes of a block, without their length, to out, which has all of the file before them,
 * because offsets count from its begin. -EINVAL, mostly with line and column: the block is invalid,
 * or an object of this type cannot have it. */
int layout_extra_encode(
	const struct dat_block *b, uint8_t type, struct buffer *out, struct error *e);
