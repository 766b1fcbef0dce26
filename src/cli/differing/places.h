/* SPDX-License-Identifier: Zlib */
/* places: tiles that differ, and the rectangles of the map in which they lie together. */
#pragma once

#include "cli/compare/area.h"
#include "formats/review.h"

/* Tiles of a rectangle at most, and those that are kept. */
enum { PLACE_WIDTH = 56, PLACE_HEIGHT = 40, PLACE_CELLS_MAX = 1 << 24 };

struct place_cell {
	uint32_t x, y; /* from 1 */
	enum review_mark mark;
};

/* All zeros is without any. */
struct places {
	struct place_cell *cells;
	size_t n_cells, room_cells;
	/* Of places_find: those of most tiles first. */
	struct place {
		size_t from; /* the first of its cells, area.n */
		struct area area;
	} * at;
	size_t n, room;
	bool many; /* there are tiles beside, more than PLACE_CELLS_MAX or the memory */
};

void places_add(struct places *p, const struct review_cell *c);
/* After the last. A tile that was added more than once is one, which changed if the marks are not
 * the same. No two rectangles overlap. -ENOMEM. */
int places_find(struct places *p);
void places_finish(struct places *p);
