/* SPDX-License-Identifier: Zlib */
/*
 * dattext: the text syntax of data and layout files: parse it into a tree, and write it.
 *
 *	[NAME]
 *		<TYPE>KEY:VALUE
 *		[INNER]
 *		[/INNER]
 *	[/NAME]
 *
 * VALUE is everything from the first ':' to the end of the line, blanks included. KEY may be empty.
 * Lines whose first character after blanks is neither '[' nor '<' are ignored, and so is a comment
 * behind ']', from '/' on. The name at the end of a block may differ in case. There is one root.
 *
 * The tree points into the text, which must outlive it. The encoder of layouts marks each block and
 * field that it reads (is_read), so that it can refuse a text with others.
 */
#pragma once

#include "base/cleanup.h"
#include "formats/torchlight/wire/wire.h"

enum { DATTEXT_DEPTH_MAX = 300 };

struct dat_field {
	struct str type, key, value;
	unsigned line, column; /* the column is that of the value */
	bool is_read;
	struct dat_field *next; /* of the block */
};

struct dat_block {
	struct str name;
	unsigned line;
	bool is_read;
	struct dat_field *fields;      /* in the order of the text */
	struct dat_block *blocks;      /* its children, likewise */
	struct dat_block *next;        /* of the parent */
	struct dat_block *parent;      /* NULL for the root */
	struct dat_field **fields_end; /* for the parser: where to append */
	struct dat_block **blocks_end;
};

struct dattext {
	struct dat_block *root;
	struct dat_field *all_fields; /* their memory */
	struct dat_block *all_blocks;
};

/* Parse UTF-8 with LF (textform_read). -EINVAL with line and column, also if it has no block. */
int dattext_parse(const char *text, size_t n, struct dattext **ret, struct error *e);
void dattext_free(struct dattext *t);
DEFINE_CLEANUP(struct dattext, dattext_free);

/* Find the first field or block of b itself by its name, in any case, and set is_read; or NULL. */
const struct dat_field *dat_find_field(const struct dat_block *b, struct str key);
const struct dat_block *dat_find_block(const struct dat_block *b, struct str name);
/* The next block after b in the order of the text, nested ones included. NULL if b is the last. */
const struct dat_block *dat_next(const struct dat_block *b);

/* Set an error with the line and column of f's value. Returns -EINVAL. */
int dat_field_error(struct error *e, const struct dat_field *f, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Check that f's value has at most 65535 UTF-16 units. -EINVAL. */
int dat_check_string(const struct dat_field *f, struct error *e);
/* Append f's value as an SS (wire.h). -EINVAL: it is too long, or (without a line) not UTF-8. */
int dat_put_string(const struct dat_field *f, struct buffer *out, struct error *e);

/* Append indentation; and append a printf-formatted text after it. The caller counts the depth. */
void dattext_indent(struct buffer *out, unsigned depth);
#define dattext_put(out, depth, ...) (dattext_indent(out, depth), buffer_printf(out, __VA_ARGS__))
