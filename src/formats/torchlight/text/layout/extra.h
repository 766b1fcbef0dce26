/* SPDX-License-Identifier: Zlib */
/*
 * layout_extra: the data that timelines and logic groups carry in a compiled layout.
 *
 * Logic group: u8 n x { u8 id; i64 object; f32 x; f32 y; u32 file offset of the record's end; u8 n
 * x { u8 to; SS output; SS input } }. Timeline: u8 n x { i64 object; u8 n x { SS property; SS event
 * (one of them empty); u8 n x { f32 percent; u8 interpolation; SS value, of a property only } } }.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"

/*
 * Appends the blocks for bytes [begin, end) of the file to out; where they are not sound, or the
 * text could not say them, as [EXTRADATA].
 */
void layout_extra_decode(uint8_t type, const uint8_t *file, size_t begin, size_t end, int64_t id,
	unsigned depth, struct buffer *out);

/* Is it one of the blocks that layout_extra_decode makes? */
bool layout_extra_is(const struct dat_block *b);
/* Appends the bytes to out, whose begin is the file's. -EINVAL with line and column. */
int layout_extra_encode(
	const struct dat_block *b, uint8_t type, struct buffer *out, struct error *e);
