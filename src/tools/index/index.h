/* SPDX-License-Identifier: Zlib */
/*
 * index: files of a map that list its other files, made anew from those. A format that has such
 * files has a struct index_tool.
 *
 * A row follows from one file of the map, its source. What follows from none (rows whose source is
 * not in the map, values that a file of the game says) stays as it is.
 */
#pragma once

#include "formats/format.h"

enum index_said {
	INDEX_ADDED,
	INDEX_CHANGED,
	INDEX_REMOVED,
	INDEX_KEPT,    /* a row without a source */
	INDEX_LACKING, /* a new row is made without a value that it needs */
	INDEX_UNREAD,  /* a source that cannot be read; its row stays */
};

struct index_making {
	bool exact; /* rows without a source go */
	/* line is for people; it begins with the source's path. */
	void (*say)(void *arg, enum index_said what, const char *index, const char *line);
	/* An index that is to be other than it is: a path in the map, and what to write there. A
	 * failure ends it. */
	int (*made)(void *arg, const char *index, struct bytes *content, struct error *e);
	void *arg;
};

struct index_tool {
	/* On any thread. -EINVAL: an index that is there is none that can be read. */
	int (*make)(const struct snapshot *s, const struct index_making *how, struct error *e);
};
