/* SPDX-License-Identifier: Zlib */
/* tidy: a map on its way to one that shows the same in less room (formats/tidy.h). */
#ifndef FORMATS_TEEWORLDS_TIDY_TIDY_H
#define FORMATS_TEEWORLDS_TIDY_TIDY_H

#include "formats/teeworlds/names/holder.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/tidy.h"

struct tidying {
	const struct tidy *how;
	const struct tw_map *from; /* as it was opened; handles are of both */
	struct tw_map *m;          /* a copy, to be changed; no item of it is added or flagged */
	bool *gone;                /* by handle: what is to leave it */
	struct tw_uses uses;
	/* All that refers to anything is known. Else uses does not count, and what is called by its
	 * number stays. */
	bool known;
	bool any; /* something was said to be done */
};

extern const struct format_tidy tw_tidy;

/* say.c
 * A line of what is done, and of what stays that was to change. */
void tidy_say(struct tidying *t, bool left, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* "DONE PATH: WHY" for an item, and "PATH: WHY" for one that stays. */
void tidy_done(struct tidying *t, const char *done, uint32_t item, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
void tidy_left(struct tidying *t, uint32_t item, const struct error *why);
/* The item leaves the map, unless it is to be kept. */
bool tidy_drop(struct tidying *t, uint32_t item, const char *why);
/* The item as it is now; NULL: it leaves, or there is none at that position. */
const struct tw_item *tidy_item(const struct tidying *t, unsigned type, uint32_t position);

/* The name that an image had. */
static inline const struct tw_name *tidy_name(const struct tidying *t, uint32_t position)
{
	return &tw_names(t->from, TW_SORT_IMAGE)->v[position];
}

/* The steps; 0 or -errno. */
int tidy_layers(struct tidying *t, struct error *e); /* layers.c */
int tidy_equal(struct tidying *t, struct error *e);  /* equal.c: equal objects are one */
int tidy_media(struct tidying *t, struct error *e);  /* media.c: external and embedded images */
int tidy_pixels(struct tidying *t, struct error *e); /* pixels.c */
/* data.c: of a map that is finished: what nothing refers to goes, the rest is compressed anew. */
int tidy_data(struct tidying *t, struct tw_map *m, struct error *e);

/* parts.c: struct format_tidy's. */
int tidy_parts(const struct snapshot *s, int (*part)(void *arg, const struct tidy_part *p),
	void *arg, struct error *e);

#endif
