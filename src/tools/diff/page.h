/* SPDX-License-Identifier: Zlib */
/*
 * page: what differs as a page of Markdown, for who reads a change of a map in a review: first what
 * the game plays with, tile by tile, where a format has layers of tiles (tools/compare/review.h),
 * then the rest under a heading for each part of a map. Whatever names and texts a map has, they
 * are shown as they are, and mean nothing in it.
 */
#pragma once

#include "tools/diff/pictures.h"

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

/* All zeros is an empty one. */
struct page {
	/* Those of review_tool.parts. */
	struct part {
		struct buffer text;
		uint64_t n[DIFFERENCE_KINDS];
		size_t length; /* entries of the list, and rows of tables */
	} parts[REVIEW_PARTS_MAX];
	uint64_t tiles[REVIEW_MARKS]; /* that the game plays with */
	/* Where there are to be pictures: all tiles, of layers that are seen, or that are played
	 * with. */
	struct places seen, played;
	const struct merged *last; /* the layer that was looked at last */
	struct layer layer;        /* ... and what was found */
};

void page_finish(struct page *p);
/* Looks at the layer that this difference is of, or the layers in it. Sets table and played of x.
 */
void page_look(struct differences *d, struct difference *x);
/* The form of differences.tell. */
int page_tell(struct differences *d, const struct difference *x);
/* After all of them: the page to d->out, and the pictures of places that it shows. -ENOMEM. */
int page_end(struct differences *d, const char *title);
