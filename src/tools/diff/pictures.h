/* SPDX-License-Identifier: Zlib */
/* pictures: what differs, in the directory of diff --images. Nothing there is written over. What
 * cannot be drawn for a reason other than the map is told, and trouble. */
#pragma once

#include "tools/diff/difference.h"

/* Of a place. Tiles of it, and those that are kept, and pictures of each sort, at most. */
enum { PLACE_WIDTH = 56, PLACE_HEIGHT = 40, PLACE_CELLS_MAX = 1 << 24, PICTURES_OF_PLACES = 16 };

struct place_cell {
	uint32_t x, y;
	enum review_mark mark;
};

/* Tiles that differ, and the rectangles of the map in which they lie together. All zeros is without
 * any. */
struct places {
	struct place_cell *cells;
	size_t n_cells, room_cells;
	/* Once they are found: those of most tiles first. No two overlap. */
	struct place {
		size_t from; /* the first of its cells, area.n */
		struct area area;
	} * at;
	size_t n, room;
	bool many; /* there are tiles beside, more than PLACE_CELLS_MAX or the memory */
};

void places_add(struct places *p, const struct review_cell *c);
void places_finish(struct places *p);

/* Of an image that changed; the picture's name, to be freed. NULL: there is none. */
char *pictures_of_image(
	struct differences *d, const char *path, struct reader *a, struct reader *b);
/* Of both maps as a whole, where one can be drawn. */
void pictures_of_map(struct differences *d);
/* Finds the places, and draws the largest; shown (may be NULL) is called with the name of each.
 * *ret_left: how many have no picture. -ENOMEM. */
int pictures_of_places(struct differences *d, struct places *p, bool played,
	void (*shown)(struct differences *d, const struct area *at, const char *name),
	size_t *ret_left);
