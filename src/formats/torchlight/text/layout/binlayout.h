/* SPDX-License-Identifier: Zlib */
/*
 * binlayout: compiled layouts (.LAYOUT) to text and back.
 *
 * File: u8 11; u8 version (4 or 54); u32 offset of the data group or 0; u16 n; n x object; data
 * group. Object: u32 length with all below it; u8 type; i64 id; SS name (empty: the type's); u8 n x
 * { u16 length; u8 code; value }; u32 length and extra data (timeline, logic group); u16 n x
 * object.
 *
 * The text is that of the modding kit, and more where that says too little:
 *
 * - `<STRING>DESCRIPTOR:TYPE_77` is a type without a known name;
 * - `<INTEGER>P_12:5` is a property without a known name: INTEGER, FLOAT, STRING or HEX, as its
 *   bytes suggest, and the word says how it is compiled;
 * - `<HEX>VOLUME:0000803F` is a value that is not of the kind that its name has;
 * - `[EXTRADATA]` with `<HEX>BYTES:..` is extra data that is no sound timeline or logic group;
 * - `[DATAGROUP]` in a Group is what the data group says other than follows from the Group.
 *
 * VERSION is 4 for both known versions: the old file's stays, and 54, which the kit writes today,
 * is for new ones. Another number is written as it stands.
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

bool binlayout_sniff(const uint8_t *data, size_t size);

/*
 * Appends the text (UTF-8, LF) to out. path is the file's in the archive or NULL: the text's root,
 * which is not stored, is [UI] below MEDIA/UI/ and where there are widgets, [Particle Creator]
 * below MEDIA/PARTICLES/ and where there are particles, else [Layout]. -EIO: not a sound file.
 */
int binlayout_decode(const uint8_t *data, size_t size, const char *path, const struct names *names,
	struct buffer *out, struct error *e);

/*
 * Compiles text (UTF-8, LF), appending to out, which must be empty (offsets count from its begin).
 * Any root's name is taken. old: the file as it was, or NULL; its version stays, and bytes of the
 * data group that no text shows stay with the Groups' ids. A name that nobody knows is learnt from
 * old where it can be (learn.h). remarks and names may be NULL. -EINVAL with line and column.
 */
int binlayout_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct compiled_remarks *remarks, struct buffer *out,
	struct error *e);
