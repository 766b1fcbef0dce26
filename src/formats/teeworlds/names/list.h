/* SPDX-License-Identifier: Zlib */
/*
 * list: what a mount calls the objects of a map that it saved, where the map's own names are others
 * (struct format_tree's names, and names in struct format_context).
 *
 * A line for each such object, ascending by sort, group and place:
 *     SORT GROUP PLACE MARK NAME
 * SORT is the noun of sort.h; GROUP is of a layer, the place of its group, and else 0; PLACE is in
 * the file, of a layer in its group. MARK is + for what was made or moved since the map was first
 * mounted (layout rule 5 has it stand before what stood there), = for all others. NAME is the last
 * component of the path; a line feed in it is written \n, and a backslash \\.
 */
#pragma once

#include "formats/teeworlds/names/sort.h"

#define TW_LISTED_HEAD "%s %u %u %c "

struct tw_listed {
	enum tw_sort sort;
	uint32_t group, place;
	bool moved;       /* made or moved */
	const char *name; /* with its ending, which may be that of the other form */
	size_t n;         /* of its stem */
};

struct tw_listing {
	size_t n;
	struct tw_listed *v;        /* by place */
	struct tw_listed **by_stem; /* ... by group and stem */
	char *text;
};

/* A text that may hold anything; *ret is zeroed before, and to be finished in any case. -EINVAL
 * names the line. Whether there are such places is for the caller. */
int tw_listing_read(const struct bytes *text, struct tw_listing *ret, struct error *e);
void tw_listing_finish(struct tw_listing *l);

/* Of an object at a place; NULL: it has its own name. */
const struct tw_listed *tw_listing_at(
	const struct tw_listing *l, enum tw_sort sort, uint32_t group, uint32_t place);
/* Where those of a stem begin in by_stem, and whether the one at i is one of them. */
size_t tw_listing_from(
	const struct tw_listing *l, enum tw_sort sort, uint32_t group, const char *stem, size_t n);
bool tw_listing_has(const struct tw_listing *l, size_t i, enum tw_sort sort, uint32_t group,
	const char *stem, size_t n);

/* list_write.c: struct format_tree's names. */
int tw_names_list(const struct snapshot *finalized, struct bytes **ret, struct error *e);
