/* SPDX-License-Identifier: Zlib */
/*
 * page: the differences as a page of Markdown, for a code review. If the format has layers of tiles
 * (tools/compare/review.h), the page first shows the changed tiles that the game plays with. The
 * rest follows under one heading for each part of a map. Names and texts of a map are quoted, so
 * that they cannot act as Markdown.
 */
#pragma once

#include "tools/diff/pictures.h"

enum { LAYER_ROWS_MAX = 256 };

/* The changed tiles of a layer that both maps have, or one of them. */
struct layer {
	const struct merge_item *item; /* in the second map, or else in the first */
	const char *kind;         /* kind of physics layer; NULL for a layer that is only seen */
	uint64_t n[REVIEW_MARKS]; /* number of changed tiles */
	struct area area;         /* rectangle of all changed tiles */
	/* Physics layers only: groups of equal changes. */
	struct layer_row {
		struct review_cell first; /* the first change of the group */
		struct area area;
	} rows[LAYER_ROWS_MAX];
	size_t n_rows;
	uint64_t rest; /* tiles that found no row */
};

/* Initialize with zeros. Finish with page_finish. */
struct page {
	/* One for each of review_tool.parts. */
	struct part {
		struct buffer text;
		uint64_t n[DIFFERENCE_KINDS];
		size_t length; /* number of list entries and table rows */
	} parts[REVIEW_PARTS_MAX];
	uint64_t tiles[REVIEW_MARKS]; /* changed tiles of physics layers */
	/* For pictures: changed tiles of layers that are only seen, and of physics layers. */
	struct places seen, played;
	const struct merge_node *last; /* the layer that page_look compared last */
	struct layer layer;            /* what page_look found in a layer */
};

void page_finish(struct page *p);
/* Compare the tiles of the layer that contains the difference, once for each layer, or of the
 * layers in it, if only one map has them; and add them to d->page. differences_print calls it
 * before print. Sets x->table and x->played. Reports failures on stderr, and sets d->has_errors.
 * Does nothing without a review tool. */
void page_look(struct differences *d, struct difference *x);
/* The form for differences.print: add a difference to its part of the page. -errno. */
int page_print(struct differences *d, const struct difference *x);
/* Append the finished page to d->out, and write the pictures of places that it shows; one that
 * fails is left out. Call it last. title: a path, whose last name is shown. -ENOMEM. */
int page_end(struct differences *d, const char *title);
