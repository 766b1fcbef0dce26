/* SPDX-License-Identifier: Zlib */
/*
 * index: rebuild the files of a map that list its other files. A format with such files has a
 * struct index_tool.
 *
 * A row is derived from one file of the map, its source. Rows whose source is not in the map, and
 * values that come from files of the game, stay unchanged.
 */
#pragma once

#include "formats/format.h"

enum index_event {
	INDEX_ADDED,
	INDEX_CHANGED,
	INDEX_REMOVED, /* its source is missing (is_exact) or needs no row, or it is listed twice */
	INDEX_KEPT,    /* a row without a source is kept */
	INDEX_LACKING, /* a new row lacks a value that it needs */
	INDEX_UNREAD,  /* a source cannot be read; its row is kept */
};

struct index_options {
	bool is_exact; /* remove rows without a source */
	/* Report a row of the index at a path. line: its source, then ": " and details, if any. */
	void (*say)(void *arg, enum index_event what, const char *index, const char *line);
	/* Called for each index file that must change, with its path in the map and its new
	 * content, which is borrowed. A failure stops the run. */
	int (*write)(void *arg, const char *index, struct bytes *content, struct error *e);
	void *arg; /* for both callbacks, which are not NULL */
};

struct index_tool {
	/* Compute all index files. Any thread; callbacks run on it. -EINVAL: an index is invalid.
	 */
	int (*rebuild)(const struct snapshot *s, const struct index_options *how, struct error *e);
};
