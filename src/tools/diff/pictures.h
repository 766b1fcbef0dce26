/* SPDX-License-Identifier: Zlib */
/* pictures: draw the differences, into the directory of diff --images. Existing files there are not
 * replaced. A picture that cannot be written is reported on stderr and sets has_errors. */
#pragma once

#include "tools/diff/difference.h"

/* Maximum size of a place in tiles; maximum number of tiles kept, and of pictures of one call. */
enum { PLACE_WIDTH = 56, PLACE_HEIGHT = 40, PLACE_CELLS_MAX = 1 << 24, PICTURES_OF_PLACES = 16 };

struct place_cell {
	uint32_t x, y;
	enum review_mark mark;
};

/* Changed tiles, and the rectangles of the map that contain them. Initialize with zeros. */
struct places {
	struct place_cell *cells;
	size_t n_cells, room_cells;
	/* Set by pictures_of_places: rectangles, largest number of tiles first. */
	struct place {
		size_t from; /* index of the first of its area.n cells */
		struct area area;
	} * at;
	size_t n, room;
	bool is_incomplete; /* some tiles were dropped: more than PLACE_CELLS_MAX, or no memory */
};

/* Add a tile. If that fails, is_incomplete is set. */
void places_add(struct places *p, const struct review_cell *c);
void places_finish(struct places *p);

/* Draw a changed image. Returns the picture's name, which the caller frees. NULL: without --images,
 * after an error, or, without a report, if a file is no PNG or too large. */
char *pictures_of_image(
	struct differences *d, const char *path, struct reader *a, struct reader *b);
/* Draw both maps as map.png, if the format can draw them. Needs d->images, not -1. */
void pictures_of_map(struct differences *d);
/* Find the places and draw the largest ones; needs d->images. played: draw the physics layers.
 * Calls `shown`, which may be NULL, after each picture, whose name is valid during the call.
 * *ret_left: number of places without a picture. -ENOMEM. */
int pictures_of_places(struct differences *d, struct places *p, bool played,
	void (*shown)(struct differences *d, const struct area *at, const char *name),
	size_t *ret_left);
