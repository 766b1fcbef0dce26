/* SPDX-License-Identifier: Zlib */
/*
 * dattext: the text syntax of data and layout files, as a tree and back.
 *
 *	[NAME]
 *		<TYPE>KEY:VALUE
 *		[INNER]
 *		[/INNER]
 *	[/NAME]
 *
 * VALUE is all after the first ':' to the end of the line, blanks included; KEY may be empty.
 * Lines that begin (after blanks) with neither '[' nor '<' are ignored. One root.
 *
 * The tree points into the text, which must outlive it. What was read in it is marked, so that what
 * nobody understands is not lost without a word.
 */
#pragma once

#include "base/cleanup.h"
#include "formats/torchlight/wire/wire.h"

enum { DATTEXT_DEPTH_MAX = 300 };

struct dat_field {
	struct str type, key, value;
	unsigned line, column; /* column of the value */
	bool read;
	struct dat_field *next;
};

struct dat_block {
	struct str name;
	unsigned line;
	bool read;
	struct dat_field *fields; /* in the text's order */
	struct dat_block *blocks;
	struct dat_block *next;
	struct dat_block *parent;
	struct dat_field **fields_end;
	struct dat_block **blocks_end;
};

struct dattext {
	struct dat_block *root;
	struct dat_field *all_fields;
	struct dat_block *all_blocks;
};

/* text: UTF-8 with LF (textform_read). -EINVAL: line, column, what. */
int dattext_parse(const char *text, size_t n, struct dattext **ret, struct error *e);
void dattext_free(struct dattext *t);
DEFINE_CLEANUP(struct dattext, dattext_free);

/* The first field or block of that name (any case), or NULL. It counts as read. */
const struct dat_field *dat_find_field(const struct dat_block *b, struct str key);
const struct dat_block *dat_find_block(const struct dat_block *b, struct str name);
/* The block after b in the text's order, from those in it on. NULL: it is the last. */
const struct dat_block *dat_next(const struct dat_block *b);

/* -EINVAL at the value of f. */
int dat_field_error(struct error *e, const struct dat_field *f, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* -EINVAL where f's value is too long for an SS. */
int dat_check_string(const struct dat_field *f, struct error *e);
/* Appends it as one. */
int dat_put_string(const struct dat_field *f, struct buffer *out, struct error *e);

/* Writing. The caller keeps count of the depth; dattext_put appends what printf would after it. */
void dattext_indent(struct buffer *out, unsigned depth);
#define dattext_put(out, depth, ...) (dattext_indent(out, depth), buffer_printf(out, __VA_ARGS__))
