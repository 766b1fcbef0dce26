/* SPDX-License-Identifier: Zlib */
/*
 * listed: one index, from what it lists to what it is to list.
 *
 * Rows stay in their order, and new ones stand where the order of sources (source.h) puts them.
 */
#pragma once

#include "formats/index.h"
#include "formats/torchlight/index/derive.h"

/* A file that it is to list. */
struct job {
	const struct source_file *f;
	struct row *old; /* the row that it has, or NULL */
	struct derived derived;
	struct error unread; /* code 0: it was read */
};

/* Which files an index lists. */
struct index_kind {
	const char *path, *name; /* "MEDIA/SKILLS.RAW", "SKILLS.RAW" */
	const char *below, *ending;
	derive_fn *derive;
};
enum { INDEX_KINDS = 7 };

extern const struct index_kind
	index_kinds[INDEX_KINDS + 1]; /* ended by one without a path; kinds.c */

struct listed {
	const struct index_kind *what;
	const struct raw_kind *kind;
	const struct sources *sources; /* borrowed */
	struct bytes *stored;
	struct buffer table; /* what it is: a header line and rows */
	struct row *rows;
	struct job *
		*row_jobs; /* of each row; NULL: its source is not in the archive, or it has one */
	size_t n_rows, room;
	struct job *jobs; /* in the order of sources */
	size_t n_jobs, room_jobs;
};

/* l is to be finished also on failure. Where the archive has no such files, and no rows, n_jobs and
 * n_rows are 0. -EINVAL: the index cannot be read. */
int listed_begin(
	struct listed *l, const struct index_kind *what, const struct sources *s, struct error *e);
void listed_finish(struct listed *l);
/* Does the jobs, on all processors; or those alone that have no row. */
int listed_derive(struct listed *l, bool only_new, struct error *e);

/* When all jobs are done: says how it changes, and gives what is to be stored, or NULL where that
 * is what it has. */
int listed_unite(
	struct listed *l, const struct index_making *how, struct bytes **ret, struct error *e);
