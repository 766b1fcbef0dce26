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

/* The id of "". */
#define BINDAT_EMPTY UINT32_C(0xFFFFFFFF)

extern const struct bindat_type_facts {
	const char *word;
	enum number_kind number; /* of no strings, as is range: what it may be, for people */
	const char *range;
} bindat_types[BINDAT_TYPES];

static inline bool bindat_is_string(uint32_t type)
{
	return type == BINDAT_STRING || type == BINDAT_TRANSLATE || type == BINDAT_NOTE;
}

bool bindat_sniff(const uint8_t *data, size_t size); /* by the first word */

/*
 * Appends the text (UTF-8, LF) to out. names: for the hashes, may be NULL; stem: the file's own
 * name without its ending, which some roots are called by, may be empty.
 *
 * *ret_readonly, whose code is 0, is told why the text cannot stand for the file: a string with a
 * line feed, say, is shown with U+FFFD in its place. -EIO: not a sound file.
 */
int bindat_decode(const uint8_t *data, size_t size, const struct names *names, struct str stem,
	struct buffer *out, struct error *ret_readonly, struct error *e);

/*
 * Compiles text (UTF-8, LF), appending to out. A type's word in lower case is a STRING, as it is to
 * the modding kit. old: the file as it was, or NULL.
 *
 * A string that the old file has keeps its id; where several ids stand for the same string, its
 * k-th use has the id of the old k-th use (the last one's from there on). New strings follow the
 * highest id, in the order of their first use. "" is BINDAT_EMPTY when it is new, but where the old
 * file has that id for a string that is still used: then "" is a string like any other.
 *
 * remarks may be NULL. -EINVAL with line and column: what the text says cannot be.
 */
int bindat_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct compiled_remarks *remarks, struct buffer *out,
	struct error *e);

struct bindat_string {
	uint32_t id;
	struct ss s;
};

/* A sound file; it points into the bytes. */
struct bindat_file {
	const uint8_t *data;
	size_t size;
	struct bindat_string *strings; /* by id */
	size_t n_strings;
	size_t tree;     /* where the root block begins */
	bool has_empty;  /* the table has an entry for "" */
	bool uses_empty; /* a field refers to "" */
	bool extra_word; /* the word 0 after a table of no entries */
};

/* Checks the whole file, to its last byte. -EIO. */
int bindat_file_open(const uint8_t *data, size_t size, struct bindat_file *ret, struct error *e);
void bindat_file_close(struct bindat_file *f);
#define CLEANUP_BINDAT __attribute__((cleanup(bindat_file_close)))

/* The tree, one thing after the other. */
struct bindat_reader {
	const struct bindat_file *file;
	struct cursor c;
	unsigned depth; /* how many blocks are open */
	struct {
		uint32_t name, fields, blocks; /* that are still to come */
		bool counted;                  /* are the blocks? Their number follows the fields */
	} open[BINDAT_DEPTH_MAX + 1];
};

struct bindat_item {
	enum { BINDAT_OPEN, BINDAT_FIELD, BINDAT_CLOSE } what;
	unsigned depth; /* of the block, or of the field's; the root's is 0 */
	uint32_t name;
	/* Of a field; id is what the file holds, s the string where the type is one. */
	uint32_t type;
	const uint8_t *value;
	uint32_t id;
	struct ss s;
};

void bindat_begin(const struct bindat_file *f, struct bindat_reader *ret);
/* 1; 0: there is no more. */
int bindat_next(struct bindat_reader *r, struct bindat_item *ret, struct error *e);
