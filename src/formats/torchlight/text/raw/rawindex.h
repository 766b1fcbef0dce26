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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "formats/torchlight/wire/wire.h"

enum raw_type {
	RAW_TEXT, /* SS */
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
	unsigned list; /* bytes of a list's number of elements; 0: no list */
	unsigned size; /* of a number; 0: an SS */
	int64_t min, max;
	const char *const *words; /* of the first numbers, or NULL */
	int n_words;
} raw_types[RAW_TYPES];

struct raw_column {
	const char *name;
	enum raw_type type;
};

/* What a kind of files is made of. */
struct raw_kind {
	const char *name;            /* the file's, without ".RAW" */
	unsigned count_bytes;        /* of the number of records: 2 or 4 */
	const char *const *sections; /* NULL-ended names of several lists, or NULL */
	bool first_column_apart;     /* all first cells, then all the others */
	struct raw_column columns[RAW_COLUMNS_MAX];
	unsigned n_columns;
};

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
