/* SPDX-License-Identifier: Zlib */
/*
 * list: the name table, which keeps names of created and moved objects, and others that a new mount
 * would not choose. A save writes it (format_tree.names); format_context.names passes it to open.
 *
 * The table is a text with a line for each such object, ascending by sort, group and place:
 *     SORT GROUP PLACE MARK NAME
 * SORT   tw_sort_info.noun
 * GROUP  for a layer: position of its group in the saved file; otherwise 0
 * PLACE  position in the saved file; for a layer: in its group
 * MARK   + if the object was created or moved since the map was first mounted, otherwise =.
 *        Objects with + come before others that have the same number.
 * NAME   last component of the path, with \n for a line feed and \\ for a backslash
 */
#pragma once

#include "formats/teeworlds/names/sort.h"

#define TW_LISTED_HEAD "%s %u %u %c " /* a line up to NAME, for printf */

struct tw_table_entry {
	enum tw_sort sort;
	uint32_t group, place;
	bool is_moved;    /* created or moved: MARK is + */
	const char *name; /* NUL-ended, with an ending of either form; in tw_name_table.text */
	size_t n;         /* length of the stem, which is the name without its ending */
};

struct tw_name_table {
	size_t n;
	struct tw_table_entry *v;        /* ascending by sort, group, place */
	struct tw_table_entry **by_stem; /* ascending by sort, group, stem, place */
	char *text;                      /* holds the names */
};

/* Parse a copy of any text as a name table. The caller zeroes *ret before, and finishes it in any
 * case. -EINVAL: refused. tw_mounted_check then checks that the map has the places. */
int tw_listing_read(const struct bytes *text, struct tw_name_table *ret, struct error *e);
void tw_listing_finish(struct tw_name_table *l);

/* Find the entry of the object at a place; NULL if the table has none. */
const struct tw_table_entry *tw_listing_at(
	const struct tw_name_table *l, enum tw_sort sort, uint32_t group, uint32_t place);
/* Index in by_stem of the first entry with this stem, or where it would be. */
size_t tw_listing_from(const struct tw_name_table *l, enum tw_sort sort, uint32_t group,
	const char *stem, size_t n);
/* Has the entry at index i of by_stem this stem? False if i is past the end. */
bool tw_listing_has(const struct tw_name_table *l, size_t i, enum tw_sort sort, uint32_t group,
	const char *stem, size_t n);

/* Write the name table of a finalized map (format_tree.names). *ret is NULL if it is empty. */
int tw_write_name_table(const struct snapshot *finalized, struct bytes **ret, struct error *e);
