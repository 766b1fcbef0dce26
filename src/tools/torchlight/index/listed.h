/* SPDX-License-Identifier: Zlib */
/* listed: update one index from the sources of an archive: listed_begin, listed_merge,
 * listed_finish. Rows keep their order, and new rows are inserted in the order of sources
 * (source.h). */
#pragma once

#include "tools/index/index.h"
#include "tools/torchlight/index/derive.h"

/* A kind of index, and the files that it lists. */
struct index_kind {
	const char *path, *name;    /* "MEDIA/SKILLS.RAW", "SKILLS.RAW" */
	const char *below, *ending; /* of the files: "MEDIA/SKILLS/", ".DAT" */
	derive_fn *derive;
};

/* A row of the stored index. */
struct listed_row {
	struct row row;
	struct job *job; /* NULL if the source is not in the archive */
};

struct listed {
	const struct index_kind *index;
	const struct raw_kind *kind;   /* the structure of its file */
	const struct sources *sources; /* borrowed */
	bool only_new;
	struct bytes *stored; /* the stored index; NULL if the archive has none */
	struct buffer table;  /* the stored index as a table: a header line and rows */
	struct listed_row *rows;
	size_t n_rows, room;
	struct job *jobs; /* in the order of sources */
	size_t n_jobs, room_jobs;
};

/* Initialize l: read the stored index and derive the rows of all source files, on all processors.
 * only_new: derive only rows of files that have none; listed_merge must not follow. Finish l also
 * on failure. -EINVAL if the index is invalid. */
int listed_begin(struct listed *l, const struct index_kind *index, const struct sources *s,
	bool only_new, struct error *e);
void listed_finish(struct listed *l);

/* Merge the stored and the derived rows, and report the changes (how->say). *ret is the index to be
 * stored; NULL if it is unchanged, or missing and without rows. */
int listed_merge(
	struct listed *l, const struct index_options *how, struct bytes **ret, struct error *e);

/* Split a line into cells at tabs; they point into the line. Missing cells are empty. */
void row_split(struct str line, struct row *ret);
/* The index of the cell that has the source's path. */
unsigned row_file_cell(const struct raw_kind *kind);
