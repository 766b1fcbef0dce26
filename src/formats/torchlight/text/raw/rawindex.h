/* SPDX-License-Identifier: Zlib */
/*
 * rawindex: the .RAW indexes of an archive as tables and back.
 *
 * The bytes have no mark: the kind follows from the file's name. The table is UTF-8 with LF: a
 * header line with the names of the columns, then a line for each record, cells separated by tabs.
 * In a cell, \t \n \r \0 and \\ stand for tab, line feed, CR, NUL and backslash. A list stands in
 * one cell, its elements separated by '|'; there \| stands for '|' and \e for an empty element, so
 * that the empty cell is the list of none. UNITDATA's four lists are told apart by the first
 * column. Menu types and game states of UI are words where they have one, else numbers.
 *
 * Every sound file comes back byte for byte from its table.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "formats/torchlight/wire/wire.h"

struct raw_kind;

/* By a file's name without directories, in any case: "SKILLS.RAW". NULL: none of the seven. */
const struct raw_kind *raw_kind_find(const char *name);

/* Appends the table to out. -EIO: the bytes are not of that kind, to the last. */
int rawindex_decode(const struct raw_kind *kind, const uint8_t *data, size_t size,
	struct buffer *out, struct error *e);

/* Appends the file to out. text is UTF-8 with LF. -EINVAL with line and column (of the character).
 */
int rawindex_encode(const struct raw_kind *kind, const char *text, size_t n, struct buffer *out,
	struct error *e);

/* Appends a text as a cell, or as an element of the list in one, as it stands in a table. */
void rawindex_put_text(struct str text, bool in_list, struct buffer *out);
