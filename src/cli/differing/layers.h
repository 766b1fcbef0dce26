/* SPDX-License-Identifier: Zlib */
/* layers: the tiles that differ, layer by layer, where a format has layers of tiles
 * (formats/review.h). */
#pragma once

#include "cli/differing/differences.h"
#include "cli/differing/places.h"

enum { LAYER_ROWS_MAX = 256 };

/* One layer, which is in both maps, or new, or gone. */
struct layer {
	const struct item *item;  /* after, or else before */
	const char *kind;         /* what the game plays with; NULL: it is only seen */
	uint64_t n[REVIEW_MARKS]; /* tiles */
	struct area area;         /* ... of all of them */
	/* Those that are alike, of a layer that the game plays with. */
	struct layer_row {
		struct review_cell of; /* the first */
		struct area area;
	} rows[LAYER_ROWS_MAX];
	size_t n_rows;
	uint64_t rest; /* tiles for which there was no row */
};

struct layers {
	/* Where there are to be pictures: all tiles, of layers that are seen, or that are played
	 * with. */
	struct places seen, played;
	const struct merged *last; /* the layer that was looked at last */
	struct layer layer;        /* ... and what was found */
};

/* Looks at the layer that this difference is of, or the layers in it, and calls page_layer for each
 * with tiles that differ, where there is a page. Sets table and played of x. */
void layers_look(struct differences *d, struct difference *x);
void layers_finish(struct layers *l);
