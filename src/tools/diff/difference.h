/* SPDX-License-Identifier: Zlib */
/* difference: one difference between two maps, and the forms in which it is printed. */
#pragma once

#include "tools/compare/compare.h"
#include "tools/compare/review.h"
#include "tools/merge/merge_node.h"

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
	const struct merge_item *before, *after; /* the item in each map, or NULL */
	struct reader *x, *y;                    /* contents of a changed file; else NULL */
	bool table;                              /* page_look: a table of a layer, shown as tiles */
	const char *played;                      /* page_look: kind of its physics layer, or NULL */
	char *picture; /* name of the picture of a changed image (pictures.h), or NULL */
};

/* The caller sets the members before differences_print, and finishes them after it. */
struct differences {
	struct merge m; /* the first map is BASE, the second OURS; side_read has read both */
	struct buffer out;
	/* Append a difference, valid during the call, to out, which is printed and emptied after
	 * it. -errno: differences_fail for a changed file; otherwise it stops the comparison. */
	int (*print)(struct differences *d, const struct difference *x);
	bool is_brief;                    /* print only names of files */
	enum detail_length length;        /* how much to show of a changed file */
	int images;                       /* descriptor of the directory for pictures, or -1 */
	const char *images_name;          /* name of that directory */
	struct images *game_images;       /* images of the game, for drawing; or NULL */
	struct page *page;                /* for page_print or pictures (page.h); or NULL */
	bool has_differences, has_errors; /* result */
};

extern const char *const difference_words[DIFFERENCE_KINDS];

/* The review tool of the format, or NULL if it has none or the formats of the maps differ. */
const struct review_tool *differences_review(const struct differences *d);
/* Report on stderr that an item cannot be compared, and set has_errors. */
void differences_fail(struct differences *d, const struct merge_item *i, int r);

/* The text form: append a line and, unless is_brief, the detail. */
int difference_print(struct differences *d, const struct difference *x);
/* Append how a file changed. Needs x->x, x->y and digest_init (compare/digest.h). */
int difference_detail(struct differences *d, const struct difference *x, struct buffer *out);
/* The JSON form: append one JSON object and a line feed (docs/mapfs-diff.1). May set has_errors. */
int difference_print_json(struct differences *d, const struct difference *x);
/* The item of the second map, or else of the first. */
static inline const struct merge_item *difference_item(const struct difference *x)
{
	return x->after ? x->after : x->before;
}
