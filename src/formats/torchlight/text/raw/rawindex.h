/* SPDX-License-Identifier: Zlib */
/*
 * rawindex: convert the .RAW indexes of an archive to tables and back.
 *
 * The bytes have no signature: the file's name gives the kind. The table is UTF-8 with LF: a header
 * line with the names of the columns, then a line for each record, with tabs between the cells. In
 * a cell, \t \n \r \0 and \\ mean tab, line feed, CR, NUL and backslash. A list is one cell, with
 * '|' between its elements; in it, \| means '|' and \e an empty element, so an empty cell is the
 * empty list. The first column of UNITDATA names one of its four lists. Menu types and game states
 * of UI are words if they have one, else numbers.
 *
 * Every valid file is the same, byte for byte, when its table is converted back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "formats/torchlight/wire/wire.h"

enum raw_type {
	RAW_TEXT, /* SS: a counted UTF-16 string (wire.h) */
	RAW_U8,
	RAW_I32,
	RAW_I64,
	RAW_TEXTS, /* u8 n, n x SS */
	RAW_IDS,   /* u32 n, n x i64 */
	RAW_MENU,  /* u32, one of raw_menus */
	RAW_STATE, /* u32, one of raw_states */
	RAW_TYPES
};

enum { RAW_COLUMNS_MAX = 10, RAW_SECTIONS_MAX = 4, RAW_MENUS = 20, RAW_STATES = 7 };

extern const char *const raw_menus[RAW_MENUS];
extern const char *const raw_states[RAW_STATES];

extern const struct raw_type_facts {
	unsigned list; /* size of the number of elements, in bytes; 0: no list */
	unsigned size; /* size of a number, in bytes; 0: an SS */
	int64_t min, max;
	const char *const *words; /* one for each number from 0 to n_words - 1; or NULL */
	int n_words;
} raw_types[RAW_TYPES];

struct raw_column {
	const char *name;
	enum raw_type type;
};

/* The structure of a kind of index. */
struct raw_kind {
	const char *name;            /* of the file, without ".RAW" */
	unsigned count_bytes;        /* size of the number of records: 2 or 4 */
	const char *const *sections; /* names of its lists, NULL-ended; NULL: one list */
	bool first_column_apart; /* in the file, first cells of all records come before others */
	struct raw_column columns[RAW_COLUMNS_MAX];
	unsigned n_columns;
};

/* Find one of the seven kinds by a file's name in any case, such as "SKILLS.RAW"; or NULL. */
const struct raw_kind *raw_kind_find(const char *name);

/* Append the table of a file to out, or a part of it on failure. -EIO: the bytes are no valid file
 * of this kind, to the last byte. -EFBIG: the table would be longer than TEXT_MAX. */
int rawindex_decode(const struct raw_kind *kind, const uint8_t *data, size_t size,
	struct buffer *out, struct error *e);

/* Compile a table (UTF-8, LF) and append the file to out. -EINVAL with line and column. */
int rawindex_encode(const struct raw_kind *kind, const char *text, size_t n, struct buffer *out,
	struct error *e);

/* Append a text as a cell, or as an element of a list, with escapes. */
void rawindex_put_text(struct str text, bool in_list, struct buffer *out);
