/* SPDX-License-Identifier: Zlib */
/* places: tiles that differ, and the rectangles of the map in which they lie together. */
#ifndef CLI_DIFFERING_PLACES_H
#define CLI_DIFFERING_PLACES_H

#include "formats/review.h"

/* Tiles of a rectangle at most, and rows or columns without any tile that lie between two. */
enum { PLACE_WIDTH = 56, PLACE_HEIGHT = 40, PLACE_GAP = 8, PLACE_CELLS_MAX = 1 << 24 };

struct place_cell {
	uint32_t x, y;
	enum review_mark mark;
};

/* Tiles cells[from, from + n), in order of rows; the rectangle ends at its right and bottom. */
struct place {
	size_t from, n;
	uint32_t left, right, top, bottom;
};

/* All zeros is without any. */
struct places {
	struct place_cell *cells;
	size_t n_cells, room_cells;
	struct place *at; /* of places_find: those of most tiles first */
	size_t n, room;
	bool many; /* there were more tiles than PLACE_CELLS_MAX, which are left out */
};

int places_add(struct places *p, const struct review_cell *c); /* -ENOMEM */
/* After the last. A tile that was added more than once is one, which changed if the marks are not
 * the same. No two rectangles overlap. -ENOMEM. */
int places_find(struct places *p);
void places_finish(struct places *p);

#endif
