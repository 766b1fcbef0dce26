/* SPDX-License-Identifier: Zlib */
/*
 * schema: what a merge of two versions of a map must know about the files of a format. Every field
 * may be NULL. Patterns are those of file_matches (file.h): * also matches slashes.
 */
#pragma once

#include <stdint.h>

#include "codec/text/json.h"

struct format;

struct merge_schema {
	/* References in JSON files: if a key ends in `key`, its string is the name (without ending)
	 * of an object in `dir`. Terminated by a NULL key. */
	const struct merge_reference {
		const char *key, *dir;
	} * references;
	/* JSON keys whose value never changes during the life of an object: an integer, or its word
	 * (words is NULL if it has none). Objects with other values never match, except under one
	 * name with another ending (form). If `repeatable` is set, a map has at most one object for
	 * each value except `repeatable`, as written in the file. Terminated by a NULL key. */
	const struct merge_kind {
		const char *key;
		const struct json_word *words;
		const char *repeatable;
	} * kinds;
	/* JSON keys that refer to what an object is drawn or played with. Objects that differ in
	 * them match only under one name. NULL-terminated. */
	const char *const *drawn_with;
	/* A directory in which a JSON file represents a thing outside the map, by its name. */
	const char *external;
	/* An integer in JSON files that is not compared, because programs leave it uninitialized:
	 * `unset` is its key, the first one in the JSON object at key `unset_in`. */
	const char *unset_in, *unset;
	/* The format of the game's archive, which the maps change a part of. An archive may be the
	 * base of two maps. A map removes no file of it by not having the file. */
	const struct format *archive;
	/* Path patterns of JSON objects that identify a map (its title, its author): if both sides
	 * changed one, ours stays without a conflict, and a note names the fields that differ.
	 * NULL-terminated. */
	const char *const *headers;
	/* Path of the list of files that a map hides from the archive, one path on each line. */
	const char *removals;
	/* Path patterns of texts with independent lines: if both sides add lines at one place, the
	 * merge keeps both (join_lines with `both`). NULL-terminated. */
	const char *const *lists;
	/* hidden_in is a directory that is not merged, because its names contain numbers of one
	 * map. In it, files that match `hidden` but not `shown` hold what no other file shows. They
	 * are compared by path, without a number and "_" at the beginning of each name. The pattern
	 * lists are NULL-terminated. */
	const char *hidden_in, *const *hidden, *const *shown;
	/* Path patterns of tables with a header line of column names, and the column names that can
	 * identify a row. Both NULL-terminated. */
	const char *const *tables, *const *row_keys;
	/* A mark: a new layer that shows which cells of a layer both sides changed. Names in its
	 * directory: mark_file holds the three texts with width and height between them, mark_table
	 * the table. */
	const char *mark_file, *mark_text[3], *mark_table;
};
