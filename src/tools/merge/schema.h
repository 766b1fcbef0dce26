/* SPDX-License-Identifier: Zlib */
/*
 * merging: what a merge of two versions of a map has to know of a format's files besides their
 * names. Every field may be NULL.
 */
#pragma once

#include <stdint.h>

#include "codec/text/json.h"

struct merge_schema {
	/* In JSON files a string at a key of this ending is the name, without its ending, of an
	 * object in the directory. Ended by a key of NULL. */
	const struct merge_reference {
		const char *key, *dir;
	} * references;
	/* Keys of JSON files that hold what an object is for good: an integer, or its word (which
	 * may be NULL: it has none). Where many is not NULL a map has one object at most for each
	 * value but that one, as it is written. Ended by a key of NULL. */
	const struct merge_sort {
		const char *key;
		const struct json_word *words;
		const char *many;
	} * sorts;
	/* Keys of JSON files that name what an object is drawn or played with. Objects that differ
	 * in it are the same only under one name. NULL-ended. */
	const char *const *drawn;
	/* A directory in which a JSON file stands for something outside of the map, by its name. */
	const char *external;
	/* In JSON files an integer that programs leave as their memory had it, so that it says
	 * nothing: the key of the object that it is the first of, and its own. */
	const char *unset_in, *unset;
	/* Patterns of the paths of texts whose lines say one thing each, so that lines which two
	 * sides added at one place are both kept. NULL-ended. */
	const char *const *lists;
	/* A directory that is not merged, since its names are numbers of one map; and in it, by the
	 * patterns of their paths, the files of what no other file shows, but for those that
	 * `shown` has. A number that a name begins with, before "_", is left out where they are
	 * compared. */
	const char *hidden_in, *const *hidden, *const *shown;
	/* Patterns of the paths of tables of lines below a line with the names of the columns, and
	 * of those names the ones that say which line it is. Both NULL-ended. */
	const char *const *rows, *const *row_keys;
	/* A new layer that shows which cells of a table two sides changed: the files of its
	 * directory that are to be written, the first a text of three parts, with width and height
	 * between them, the second the table. */
	const char *mark_file, *mark_text[3], *mark_table;
};
