/* SPDX-License-Identifier: Zlib */
/*
 * derive: make the row of an index from one file, as the modding kit writes it.
 *
 * A unit inherits missing values from its BASEFILE, which may be a file of the game that is not in
 * the archive. Then an existing row keeps its value, and a new row gets the kit's default.
 */
#pragma once

#include "formats/torchlight/text/raw/rawindex.h"
#include "tools/torchlight/index/source.h"

enum { ROW_CELLS = RAW_COLUMNS_MAX + 1 /* + 1: the list's name, if an index has several */ };

/* A row of an index as a table (text/raw/rawindex.h): a line of cells between tabs. */
struct row {
	struct str line;             /* without the newline; not owned */
	struct str cells[ROW_CELLS]; /* parts of line; missing cells are empty */
};

/* A source file that an index should list, and its row. */
struct job {
	const struct source_file *file;
	const struct row *old;        /* its row in the stored index, or NULL */
	const struct dat_block *root; /* of the file's text; valid only in a derive_fn */
	struct buffer line;           /* the derived row */
	unsigned n_cells;             /* in `line` so far */
	size_t list_at;               /* where the current list begins in `line` */
	const char *refusal;   /* why the kit does not list the file (static string), or NULL */
	struct buffer lacking; /* values that a new row lacks, for people; or empty */
	struct error unread;   /* code 0 if the file was read */
};

/* Derive all cells of job.line from job.root, or set job.refusal. Returns 0 or -ENOMEM, which may
 * be left in job.line, too. Runs on any thread, for several jobs at a time. */
typedef int derive_fn(const struct sources *s, struct job *j);

derive_fn derive_unit;                                                       /* units.c */
derive_fn derive_affix, derive_skill, derive_triggerable, derive_roompieces; /* data.c */
derive_fn derive_missiles, derive_menu;                                      /* layouts.c */

/* Find a field of a block, by the hash of its name; the dictionaries need not have the name. */
const struct dat_field *derive_field(const struct dat_block *b, const char *name);
/* The value of a field of any type: a part of the file's text; "" if the block lacks the field. */
struct str derive_text(const struct dat_block *b, const char *name);
bool derive_bool(const struct dat_block *b, const char *name); /* text is TRUE or an int not 0 */

/* Append text in upper case (ASCII) to out. Returns all of out, which lacks text if out->error. */
struct str derive_upper(struct str text, struct buffer *out);

/* Append a cell to the line, with escapes. A failure is left in line.error. */
void derive_put(struct job *j, struct str text);
void derive_put_upper(struct job *j, struct str text);
void derive_put_number(struct job *j, int64_t v);
/* Append a cell of the old row, which must exist, to the line. */
void derive_keep_cell(struct job *j, unsigned cell);
/* Append a cell with an empty list to the line; then append an element to that list. */
void derive_put_list(struct job *j);
void derive_put_element(struct job *j, struct str element);
