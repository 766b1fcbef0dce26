/* SPDX-License-Identifier: Zlib */
/* difference: one of the differences between two maps, and the forms in which it is printed. */
#pragma once

#include "tools/compare/compare.h"
#include "tools/compare/review.h"
#include "tools/merge/merged.h"

struct images;
struct page;

struct difference {
	enum difference_kind {
		DIFFERENCE_ADDED = REVIEW_ADDED,
		DIFFERENCE_REMOVED = REVIEW_REMOVED,
		DIFFERENCE_CHANGED = REVIEW_CHANGED,
		DIFFERENCE_MOVED,
		DIFFERENCE_RENAMED,
		DIFFERENCE_KINDS,
	} kind;
	const struct item *before, *after; /* what there is of both */
	struct reader *x, *y;              /* of a file that changed */
	bool table;                        /* page.h: it is one of a layer, whose tiles are told */
	const char *played;                /* ... of what the game plays with, or in it; or NULL */
	char *picture; /* pictures.h: of an image that changed, its name; or NULL */
};

struct differences {
	struct merge m; /* the maps are base and ours, once they are read */
	struct buffer out;
	/* Adds a difference to out, which is printed and emptied after each. -errno. */
	int (*tell)(struct differences *d, const struct difference *x);
	bool brief;              /* files are only named */
	enum told_length much;   /* of a file that changed */
	int images;              /* the directory of pictures of what changed, or -1 */
	const char *images_name; /* ... as it was named */
	struct images *game;     /* what the game has for pictures, or NULL */
	struct page *page;       /* page.h: of page_tell, or for pictures; or NULL */
	bool different, trouble; /* result */
};

extern const char *const difference_words[DIFFERENCE_KINDS];

/* What both maps know of how they are reviewed; NULL: nothing. */
const struct review_tool *differences_review(const struct differences *d);
/* A line on stderr, and trouble. */
void differences_fail(struct differences *d, const struct item *i, int r);

/* A line, and how it changed; and the latter alone. */
int difference_tell(struct differences *d, const struct difference *x);
int difference_detail(struct differences *d, const struct difference *x, struct buffer *out);
/* An object on a line of its own (docs/mapfs-diff.1). */
int difference_tell_json(struct differences *d, const struct difference *x);
/* What it is in the second map, or else in the first. */
static inline const struct item *difference_item(const struct difference *x)
{
	return x->after ? x->after : x->before;
}
