/* SPDX-License-Identifier: Zlib */
/*
 * bindat: compiled data files (.DAT .TEMPLATE .ANIMATION .HIE) to text and back.
 *
 * File: u32 2; u32 n; n x { u32 id, SS } (ids ascending); one block: { u32 name hash; u32 n; n x {
 * u32 name hash; u32 type; value of 4 bytes, 8 for types 3 and 7 }; u32 n; n x block }. Types: 1
 * INTEGER, 2 FLOAT, 3 DOUBLE, 4 UNSIGNED INT, 5 STRING, 6 BOOL, 7 INTEGER64, 8 TRANSLATE, 9 NOTE;
 * 5, 8 and 9 are ids of the table. The empty string has the id 0xFFFFFFFF; tables of one other tool
 * lack it, and where that tool's table has no entry at all, one word 0 follows it.
 */
#pragma once

#include <stdbool.h>

#include "formats/torchlight/text/names.h"

enum { BINDAT_DEPTH_MAX = 64 };

bool bindat_sniff(const uint8_t *data, size_t size); /* by the first word */

/*
 * Appends the text (UTF-8, LF) to out. names: for the hashes, may be NULL; stem: the file's own
 * name without its ending, which some roots are called by, may be NULL.
 *
 * *ret_readonly (code 0 where there is none) is why the text cannot stand for the file: a string
 * with a line feed, say, is shown with U+FFFD in its place. -EIO: not a sound file.
 */
int bindat_decode(const uint8_t *data, size_t size, const struct names *names, const char *stem,
	struct buffer *out, struct error *ret_readonly, struct error *e);

/*
 * Compiles text (UTF-8, LF), appending to out. old: the file as it was, or NULL: strings that are
 * still used keep their ids, new ones follow the highest; without it they are numbered from 0 in
 * the order of their use. A type's word in lower case is a STRING, as it is to the modding kit.
 *
 * new_names (may be NULL) gets the names in the text that `names` does not have, one a line.
 * -EINVAL with line and column: what the text says cannot be.
 */
int bindat_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct buffer *new_names, struct buffer *out, struct error *e);

/* For each string or integer of the file in its order, a negative errno stops. id is what the file
 * holds; s the string where the type is one. */
struct bindat_value {
	unsigned depth; /* of the block, the root's is 0 */
	uint32_t name, type;
	const uint8_t *value;
	uint32_t id;
	struct ss s;
};
typedef int (*bindat_value_fn)(void *arg, const struct bindat_value *v, struct error *e);
int bindat_each(const uint8_t *data, size_t size, bindat_value_fn fn, void *arg, struct error *e);
