/* SPDX-License-Identifier: Zlib */
/*
 * binlayout: convert compiled layouts (.LAYOUT) to text and back.
 *
 * File: u8 11; u8 version (4 or 54); u32 offset of the data group or 0; u16 n; n x object; data
 * group. Object: u32 length, with its children; u8 type; i64 id; SS name (empty: the name of the
 * type); u8 n x { u16 length; u8 code; value }; u32 length and extra data (timeline, logic group);
 * u16 n x object.
 *
 * The text is that of the modding kit, with additions for data that the kit's text cannot hold:
 *
 *  - `<STRING>DESCRIPTOR:TYPE_77` is a type without a known name;
 *  - `<INTEGER>P_12:5` is a property without a known name: INTEGER, FLOAT, STRING or HEX, as its
 *    bytes suggest, and the word says how it is compiled;
 *  - `<HEX>VOLUME:0000803F` is a value whose kind is not that of its name;
 *  - `[EXTRADATA]` with `<HEX>BYTES:..` is extra data that is no valid timeline or logic group;
 *  - `[DATAGROUP]` in a Group is data of the data group that does not follow from the Group.
 *
 * VERSION is 4 for both known versions: a file keeps its version, and a new file gets 54, which the
 * kit writes today. Any other number is written unchanged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct compiled_remarks;
struct names;

enum {
	BINLAYOUT_MAGIC = 11,
	BINLAYOUT_VERSION = 54,
	LAYOUT_KIT_VERSION = 4,
	BINLAYOUT_DEPTH_MAX = 128
};

bool binlayout_sniff(const uint8_t *data, size_t size); /* checks the size and the first byte */

/* Append the text (UTF-8, LF) of a file to out. path: in the archive, or NULL. It gives the name of
 * the root, which is not stored: [UI] below MEDIA/UI/ or if there are widgets, [Particle Creator]
 * below MEDIA/PARTICLES/ or if there are particles, else [Layout]. names may be NULL. The text
 * may lack some bytes of the file (compiled_decode finds out). -EIO: the file is invalid. -EFBIG:
 * the text is longer than TEXT_MAX (textform.h). */
int binlayout_decode(const uint8_t *data, size_t size, const char *path, const struct names *names,
	struct buffer *out, struct error *e);

/*
 * Compile text (UTF-8, LF) and append the file to out, which must be empty, because offsets count
 * from its begin. old: the previous file, or NULL. The result keeps its version, and the bytes of
 * the data group that no text shows, by the id of the Group. Unknown names are learned from old if
 * possible (learn.h); remarks->names gets them as lines of a table. remarks and names may be NULL.
 * -EINVAL, mostly with line and column; marked as unresolved (base/error.h) if a name was unknown,
 * because another text may teach it. -EFBIG: the file has 4 GiB or more.
 */
int binlayout_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct compiled_remarks *remarks, struct buffer *out,
	struct error *e);
