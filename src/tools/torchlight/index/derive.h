/* SPDX-License-Identifier: Zlib */
/*
 * derive: the row of an index that follows from one file, as the modding kit writes it.
 *
 * What a unit does not say itself its BASEFILE says, which may be a file of the game that is not in
 * the archive. Such a value stays as the row has it; in a new row it is the kit's default.
 */
#pragma once

#include "formats/torchlight/text/raw/rawindex.h"
#include "tools/torchlight/index/source.h"

enum { ROW_CELLS = RAW_COLUMNS_MAX + 1 };

/* A row of an index as a table (text/raw/rawindex.h): a line of cells between tabs. */
struct row {
	struct str line; /* without its end; the cells are in it */
	struct str cells[ROW_CELLS];
};

/* A file that an index is to list. */
struct job {
	const struct source_file *f;
	const struct row *old;        /* the row that it has, or NULL */
	const struct dat_block *root; /* of the file's text, while it is derived */
	struct buffer line;           /* its row */
	unsigned n_cells;
	size_t list_at;        /* in line */
	const char *why_not;   /* the kit lists no such file, because of this; in memory for good */
	struct buffer lacking; /* what a new row is made without, for people; or empty */
	struct error unread;   /* code 0: it was read */
};

typedef int derive_fn(const struct sources *s, struct job *j);

derive_fn derive_unit;                                                       /* units.c */
derive_fn derive_affix, derive_skill, derive_triggerable, derive_roompieces; /* data.c */
derive_fn derive_missiles, derive_menu;                                      /* layouts.c */

/* Of a block; names that no dictionary has are found, too. NULL: none. */
const struct dat_field *derive_field(const struct dat_block *b, const char *name);
/* "" where there is none. */
struct str derive_text(const struct dat_block *b, const char *name);
bool derive_bool(const struct dat_block *b, const char *name);

/* In upper case (ASCII), appended to out: all of that. */
struct str derive_upper(struct str text, struct buffer *out);

/* The next cell of the line, as it is or in upper case. */
void derive_put(struct job *j, struct str text);
void derive_put_upper(struct job *j, struct str text);
void derive_put_number(struct job *j, int64_t v);
/* ... which is that of the row as it is. */
void derive_keep(struct job *j, unsigned cell);
/* ... which is a list, of none so far; and an element of that. */
void derive_put_list(struct job *j);
void derive_put_element(struct job *j, struct str element);
