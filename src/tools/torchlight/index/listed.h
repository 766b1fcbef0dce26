/* SPDX-License-Identifier: Zlib */
/*
 * listed: one index, from what it lists to what it is to list.
 *
 * Rows stay in their order, and new ones stand where the order of sources (source.h) puts them.
 */
#pragma once

#include "tools/index/index.h"
#include "tools/torchlight/index/derive.h"

/* Which files an index lists. */
struct index_kind {
	const char *path, *name; /* "MEDIA/SKILLS.RAW", "SKILLS.RAW" */
	const char *below, *ending;
	derive_fn *derive;
};

/* A row that it has. */
struct listed_row {
	struct row row;
	struct job *job; /* NULL: its source is not in the archive */
};

struct listed {
	const struct index_kind *what;
	const struct raw_kind *kind;
	const struct sources *sources; /* borrowed */
	bool only_new;
	struct bytes *stored;
	struct buffer table; /* what it is: a header line and rows */
	struct listed_row *rows;
	size_t n_rows, room;
	struct job *jobs; /* in the order of sources */
	size_t n_jobs, room_jobs;
};

/* Reads what it lists, and derives what it is to list, on all processors; only_new: of those files
 * alone that have no row. l is to be finished also on failure. Where the archive has no such files,
 * and no rows, n_jobs and n_rows are 0. -EINVAL: the index cannot be read. */
int listed_begin(struct listed *l, const struct index_kind *what, const struct sources *s,
	bool only_new, struct error *e);
void listed_finish(struct listed *l);

/* Says how it changes, and gives what is to be stored, or NULL where that is what it has. */
int listed_unite(
	struct listed *l, const struct index_making *how, struct bytes **ret, struct error *e);

/* Where a line has fewer cells, the others are empty. */
void row_split(struct str line, struct row *ret);
/* Which cell is the source's path. */
unsigned row_file_cell(const struct raw_kind *kind);
