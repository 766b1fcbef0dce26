/* SPDX-License-Identifier: Zlib */
/* review: the interface of a format to mapfs diff --markdown. A format with layers of tiles has a
 * struct review_tool. */
#pragma once

#include "formats/format.h"

enum review_mark { REVIEW_ADDED, REVIEW_REMOVED, REVIEW_CHANGED, REVIEW_MARKS };

enum { REVIEW_PARTS_MAX = 8 };

/* A tile; id 0: none. number: of a teleporter, switch or tune zone, even if id is 0; 0: none. */
struct review_tile {
	int16_t id, number;
};

/* A cell that differs between two layers. */
struct review_cell {
	uint32_t x, y; /* from 0 */
	enum review_mark mark;
	struct review_tile before, after;
	unsigned fields; /* bit i: review_tool.fields[i] differs */
};

struct review_tool {
	/* The parts of the page in order, each a heading and a path pattern in which * matches
	 * slashes, too. The first part is what the game plays with, including its layers, the
	 * second the other layers, the last everything else. Terminated by a NULL heading; at most
	 * REVIEW_PARTS_MAX. */
	const struct review_part {
		const char *heading, *paths;
	} * parts;
	/* Names of the fields of a tile, by bit of review_cell.fields; the first is the id. */
	const char *const *fields;

	/* Is the directory a layer of tiles? *ret_kind: the kind of physics layer ("tele"), or NULL
	 * for a layer that is only seen. */
	bool (*layer)(const struct snapshot *s, entry_id dir, const char **ret_kind);
	/* Call fn for each cell that differs, row by row. ENTRY_ROOT instead of a layer: there is
	 * none. A cell outside a layer equals one without a tile. -EIO: a layer is damaged, after
	 * some calls. -EINVAL: it is no layer of tiles. */
	int (*cells)(const struct snapshot *a, entry_id x, const struct snapshot *b, entry_id y,
		void (*fn)(void *arg, const struct review_cell *c), void *arg, struct error *e);
	/* A short name of a tile in a physics layer of this kind, or NULL if it is unknown. */
	const char *(*name)(const char *kind, int id);
};
