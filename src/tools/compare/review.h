/* SPDX-License-Identifier: Zlib */
/*
 * review: what changed in a map, for somebody who has to judge it. A format whose layers are tiles
 * has a struct review_tool.
 */
#pragma once

#include "formats/format.h"

enum review_mark { REVIEW_ADDED, REVIEW_REMOVED, REVIEW_CHANGED, REVIEW_MARKS };

enum { REVIEW_PARTS_MAX = 8 };

/* What stands in a place: 0 is nothing, which can have a number nevertheless; 0 is no number. */
struct review_tile {
	int16_t id, number;
};

struct review_cell {
	uint32_t x, y; /* from 0 */
	enum review_mark mark;
	struct review_tile before, after;
	unsigned fields; /* 1 << i: the i-th of review_tool.fields is another */
};

struct review_tool {
	/* What a map consists of, for a page with a heading for each, in order: patterns of paths,
	 * in which * stands for slashes, too. The first has what the game plays with, also its
	 * layers, the second the other layers, the last all else. Ended by a heading of NULL,
	 * REVIEW_PARTS_MAX at most. */
	const struct review_part {
		const char *heading, *paths;
	} * parts;
	/* Of a tile: "flags"; as many as review_cell names, of which the first is the id. */
	const char *const *fields;

	/* Is the directory a layer of tiles? *ret_kind: what the game plays with, by that word
	 * ("tele"); NULL: it is only seen. */
	bool (*layer)(const struct snapshot *s, entry_id dir, const char **ret_kind);
	/* Each place that differs, row by row; one of the layers may be ENTRY_ROOT: there is none.
	 * A place beyond a layer has nothing in it, and does not differ from one without a tile.
	 * -EIO: a layer is damaged. */
	int (*cells)(const struct snapshot *a, entry_id x, const struct snapshot *b, entry_id y,
		void (*fn)(void *arg, const struct review_cell *c), void *arg, struct error *e);
	/* What a tile is in a layer of that kind, in a few words; NULL: nobody knows. */
	const char *(*name)(const char *kind, int id);
};
