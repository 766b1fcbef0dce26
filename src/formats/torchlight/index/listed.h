/* SPDX-License-Identifier: Zlib */
/*
 * listed: one index, from what it lists to what it is to list.
 *
 * Rows stay in their order, and new ones stand where the order of sources (source.h) puts them.
 */
#ifndef FORMATS_TORCHLIGHT_INDEX_LISTED_H
#define FORMATS_TORCHLIGHT_INDEX_LISTED_H

#include "formats/index.h"
#include "formats/torchlight/index/derive.h"

/* A file that it is to list. */
struct job {
	const struct source_file *f;
	struct row *old; /* the row that it has, or NULL */
	struct derived derived;
	struct error unread; /* code 0: it was read */
};

struct listed {
	const char *path; /* "MEDIA/SKILLS.RAW" */
	const struct raw_kind *kind;
	struct bytes *stored;
	struct buffer table; /* what it is: a header line and rows */
	struct row *rows;
	struct job *
		*row_jobs; /* of each row; NULL: its source is not in the archive, or it has one */
	size_t n_rows, room;
	struct job *jobs; /* in the order of sources */
	size_t n_jobs, room_jobs;
};

/* f: the index, NULL: there is none yet. -EINVAL: it cannot be read. l is to be finished also on
 * failure; path and kind are set. */
int listed_open(
	struct listed *l, const struct sources *s, const struct source_file *f, struct error *e);
void listed_finish(struct listed *l);
/* Another job; in the order of sources. */
int listed_job(struct listed *l, const struct source_file *f);
/* When all jobs are there: whose row is whose. */
int listed_match(struct listed *l);

/* When all jobs are done: says how it changes, and gives what is to be stored, or NULL where that
 * is what it has. */
int listed_unite(
	struct listed *l, const struct index_making *how, struct bytes **ret, struct error *e);

#endif
