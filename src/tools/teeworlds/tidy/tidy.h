/* SPDX-License-Identifier: Zlib */
/* tidy: make a map smaller without visible changes (tools/tidy/tidy.h). */
#pragma once

#include "formats/teeworlds/names/holder.h"
#include "tools/teeworlds/whole/whole.h"
#include "tools/tidy/tidy.h"

struct tidying {
	struct tw_whole whole;
	const struct tidy *how;
	struct tw_map *m; /* a copy to be changed, which a step may replace; handles stay valid */
	struct tw_used_objects uses; /* tidy.c sets it and `known` first, and after tidy_equal */
	/* All references are known. Otherwise `uses` is not valid, and no object may be removed
	 * that can be referred to by its number. */
	bool known;
};

extern const struct tidy_tool tw_tidy;

/* The current item at a position; NULL if it does not exist or is gone. */
static inline const struct tw_item *tidy_item(
	const struct tidying *t, unsigned type, uint32_t position)
{
	const struct tw_item *it = tw_item_at(t->m, type, position);

	return it && !t->whole.gone[it - t->m->items] ? it : NULL;
}

/* The name of an image in the map as opened. */
static inline const struct tw_name *tidy_name(const struct tidying *t, uint32_t position)
{
	return &tw_names(t->whole.from, TW_SORT_IMAGE)->v[position];
}

/* Steps, in this order. */
int tidy_layers(struct tidying *t, struct error *e); /* layers.c: remove what draws nothing */
int tidy_equal(struct tidying *t, struct error *e);  /* equal.c: merge images, sounds, envelopes */
int tidy_media(struct tidying *t, struct error *e);  /* media.c: make images external, or embed */
int tidy_pixels(struct tidying *t, struct error *e); /* pixels.c: clear what nothing shows */
/* data.c: Remove unused data items of m, and compress the others better. m: the map to save, until
 * then equal to `was`, the result of tw_whole_finish. */
int tidy_data(struct tidying *t, const struct tw_map *was, struct tw_map *m, struct error *e);

/* parts.c: Call part for each part of the file. Stop if it returns nonzero; return that if < 0. */
int tidy_parts(const struct snapshot *s, int (*part)(void *arg, const struct tidy_part *p),
	void *arg, struct error *e);
