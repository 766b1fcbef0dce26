/* SPDX-License-Identifier: Zlib */
/*
 * bindat: convert compiled data files (.DAT .TEMPLATE .ANIMATION .HIE) to text and back.
 *
 * File: u32 2; u32 n; n x { u32 id, SS } (ids ascending); one block: { u32 name hash; u32 n; n x {
 * u32 name hash; u32 type; value of 4 bytes, 8 for types 3 and 7 }; u32 n; n x block }. An SS is a
 * counted UTF-16 string (wire.h). The types are those of enum bindat_type, from 1; the values of
 * STRING, TRANSLATE and NOTE are ids of the table. The empty string has the id 0xFFFFFFFF. The
 * tables of one other tool lack it; if such a table has no entry at all, one word 0 follows it.
 */
#pragma once

#include <stdbool.h>

#include "formats/torchlight/text/names.h"
#include "formats/torchlight/text/number.h"

enum { BINDAT_DEPTH_MAX = 64, BINDAT_VERSION = 2 };

enum bindat_type {
	BINDAT_INTEGER = 1,
	BINDAT_FLOAT,
	BINDAT_DOUBLE,
	BINDAT_UNSIGNED,
	BINDAT_STRING,
	BINDAT_BOOL,
	BINDAT_INTEGER64,
	BINDAT_TRANSLATE,
	BINDAT_NOTE,
	BINDAT_TYPES
};

/* The id of the empty string. */
#define BINDAT_EMPTY UINT32_C(0xFFFFFFFF)

extern const struct bindat_type_facts {
	const char *word;        /* in a text; NULL for 0, which is no type */
	enum number_kind number; /* unused for strings, like range (for messages) */
	const char *range;
} bindat_types[BINDAT_TYPES];

static inline bool bindat_is_string(uint32_t type)
{
	return type == BINDAT_STRING || type == BINDAT_TRANSLATE || type == BINDAT_NOTE;
}

bool bindat_sniff(const uint8_t *data, size_t size); /* checks the size and the first word */

/*
 * Append the text (UTF-8, LF) of a file to out, or a part of it on failure. names: the dictionary,
 * may be NULL. stem: the file's name without its ending, because some roots have this name; may be
 * empty. *ret_readonly (not NULL, with code 0) receives the reason why the text cannot be written
 * back: a string with a line break or NUL, which is shown as U+FFFD. -EIO: the file is invalid.
 * -EFBIG: the text is longer than TEXT_MAX (textform.h).
 */
int bindat_decode(const uint8_t *data, size_t size, const struct names *names, struct str stem,
	struct buffer *out, struct error *ret_readonly, struct error *e);

/*
 * Compile text (UTF-8, LF) and append the file to out. A type in lower case is a STRING, as in the
 * modding kit. old: the previous file, or NULL.
 *
 * A string that the old file uses keeps its id. If several ids have the same string, its k-th use
 * gets the id of the k-th use in the old file. Later uses get the id of the last old use. New
 * strings get ids above the highest one, in the order of their first use. A new "" gets
 * BINDAT_EMPTY, or such an id if a string of the old file that is still used has BINDAT_EMPTY.
 *
 * remarks (names.h; may be NULL) gets the names that `names` lacks, and the first line with a type
 * in lower case. An old file that is invalid is ignored. -EINVAL, mostly with line and column.
 */
int bindat_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct compiled_remarks *remarks, struct buffer *out,
	struct error *e);

struct bindat_string {
	uint32_t id;
	struct ss s;
};

/* A valid file. It points into the bytes, which must outlive it. */
struct bindat_file {
	const uint8_t *data;
	size_t size;
	struct bindat_string *strings; /* by id */
	size_t n_strings;
	size_t tree;     /* offset of the root block */
	bool has_empty;  /* the table has an entry BINDAT_EMPTY */
	bool uses_empty; /* a field has the id BINDAT_EMPTY */
	bool extra_word; /* a word 0 follows the empty table */
};

/* Check a whole file, to its last byte, and open it. -EIO: it is invalid. */
int bindat_file_open(const uint8_t *data, size_t size, struct bindat_file *ret, struct error *e);
void bindat_file_close(struct bindat_file *f);
#define CLEANUP_BINDAT __attribute__((cleanup(bindat_file_close)))

/* Reads the tree, one item after the other. */
struct bindat_reader {
	const struct bindat_file *file;
	struct cursor c;
	unsigned depth; /* number of open blocks */
	struct {
		uint32_t name, fields, blocks; /* the numbers are those not read yet */
		bool counted;                  /* `blocks` is read; it follows the fields */
	} open[BINDAT_DEPTH_MAX + 1];
};

struct bindat_item {
	enum { BINDAT_OPEN, BINDAT_FIELD, BINDAT_CLOSE } kind;
	unsigned depth; /* of the block, or the block of the field; the root has 0 */
	uint32_t name;  /* hash of the name of the field, or of the block, also at its end */
	/* The members below are those of a field. id and s: of a string. */
	uint32_t type;
	const uint8_t *value; /* 4 bytes as stored, or 8 */
	uint32_t id;
	struct ss s;
};

void bindat_begin(const struct bindat_file *f, struct bindat_reader *ret);
/* Read the next item. Returns 1, or 0 at the end. Cannot fail for a file from bindat_file_open. */
int bindat_next(struct bindat_reader *r, struct bindat_item *ret, struct error *e);
