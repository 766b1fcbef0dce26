/* SPDX-License-Identifier: Zlib */
/*
 * page: what differs as a page of Markdown, for who reads a change of a map in a review: first what
 * the game plays with, then the rest under a heading for each part of a map (formats/review.h).
 * Whatever names and texts a map has, they are shown as they are, and mean nothing in it.
 */
#pragma once

#include "cli/differing/layers.h"

/* All zeros is an empty one. */
struct page {
	/* Those of format_review.parts. */
	struct part {
		struct buffer text;
		uint64_t n[DIFFERENCE_KINDS];
		size_t length; /* entries of the list, and rows of tables */
	} parts[REVIEW_PARTS_MAX];
	uint64_t tiles[REVIEW_MARKS]; /* that the game plays with */
};

void page_finish(struct page *p);
/* The form of differences.tell. */
int page_tell(struct differences *d, const struct difference *x);
/* Tiles of a layer. */
void page_layer(struct differences *d, const struct layer *l);
/* After all of them: the page to d->out, and the pictures of places that it shows. -ENOMEM. */
int page_end(struct differences *d, const char *title);
