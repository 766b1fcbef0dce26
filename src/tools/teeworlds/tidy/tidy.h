/* SPDX-License-Identifier: Zlib */
/* tidy: a map on its way to one that shows the same in less room (tools/tidy/tidy.h). */
#pragma once

#include "formats/teeworlds/names/holder.h"
#include "tools/teeworlds/whole/whole.h"
#include "tools/tidy/tidy.h"

struct tidying {
	struct tw_whole whole;
	const struct tidy *how;
	struct tw_map *m; /* a copy, to be changed; no item of it is added or flagged */
	struct tw_uses uses;
	/* All that refers to anything is known. Else uses does not count, and what is called by its
	 * number stays. */
	bool known;
};

extern const struct tidy_tool tw_tidy;

/* The item as it is now; NULL: it leaves, or there is none at that position. */
static inline const struct tw_item *tidy_item(
	const struct tidying *t, unsigned type, uint32_t position)
{
	const struct tw_item *it = tw_item_at(t->m, type, position);

	return it && !t->whole.gone[it - t->m->items] ? it : NULL;
}

/* The name that an image had. */
static inline const struct tw_name *tidy_name(const struct tidying *t, uint32_t position)
{
	return &tw_names(t->whole.from, TW_SORT_IMAGE)->v[position];
}

/* The steps; 0 or -errno. */
int tidy_layers(struct tidying *t, struct error *e); /* layers.c */
int tidy_equal(struct tidying *t, struct error *e);  /* equal.c: equal objects are one */
int tidy_media(struct tidying *t, struct error *e);  /* media.c: external and embedded images */
int tidy_pixels(struct tidying *t, struct error *e); /* pixels.c */
/* data.c: of m, a copy of a map that is finished: what nothing refers to goes, the rest is
 * compressed anew. */
int tidy_data(struct tidying *t, const struct tw_map *was, struct tw_map *m, struct error *e);

/* parts.c: struct tidy_tool's. */
int tidy_parts(const struct snapshot *s, int (*part)(void *arg, const struct tidy_part *p),
	void *arg, struct error *e);
