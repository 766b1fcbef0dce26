/* SPDX-License-Identifier: Zlib */
/*
 * merged: the three maps as one tree, in which each file and directory says what it is in the base,
 * in ours and in theirs; and what is to become of it.
 */
#pragma once

#include "base/disk/file.h"
#include "base/error.h"
#include "tools/merge/item.h"
#include "tools/merge/schema.h"

struct merged {
	size_t number;
	struct merged *up, **below;
	size_t n, room;
	struct item *at[SIDES];
	bool doubt;     /* perhaps they are not the same: an item's */
	bool contested; /* ... and both sides changed it */
	bool crossed;   /* a side moved it here from another directory, or from here */

	bool stays; /* it will be in the map; at first what a side has */
	bool take;  /* ... with the content of theirs, though ours has it */
	bool made;  /* ... with this one: what both sides made of it (a JSON file in memory, with
		     * names by number), or that of a mark */
	struct extent content;
	const char *bare; /* of an object: what it is to be called; an item's, or NULL */
	/* Of an object: the name by which ours knows it, and the one in the map to be written. */
	char *now, *later;
	bool decided; /* as one of the tables of a layer */
	bool placed;  /* it is in up->order */
	const struct oentry
		*put;          /* apply.c: in ours, as it was made or as theirs has it; or NULL */
	bool rescued;          /* its file of theirs was copied beside the map */
	bool moved;            /* it gets another place or name */
	struct merged **order; /* of a directory: its objects in the map to be written */
	size_t n_order;
	struct merged *after; /* a mark: it stands behind this one */
};

/* What both sides did to one thing in different ways. */
struct conflict {
	struct merged *x; /* NULL: `why` says it */
	char *why;        /* "changed by both: 3 cells, ..." */
	bool theirs;      /* theirs goes beside the map */
};

struct merge {
	struct side sides[SIDES];
	const struct merge_schema *how; /* never NULL */
	bool numbered, nocase;
	bool mark; /* a new layer shows the cells of one that both sides changed */
	struct merged *root;
	struct merged **all; /* by number */
	size_t n, room;
	struct conflict *conflicts;
	size_t n_conflicts, room_conflicts;
};

/* A new node below up (NULL: the root). NULL: no memory. */
struct merged *merged_new(struct merge *m, struct merged *up, struct item *const at[SIDES]);
void merged_finish(struct merge *m);
int conflict_add(struct merge *m, struct merged *x, bool theirs, const char *why, ...)
	PRINTF_LIKE(4, 5); /* -ENOMEM */
/* What was to be written to it is forgotten. */
static inline void merged_keep(struct merged *x)
{
	extent_finish(&x->content);
	x->made = false;
}
/* Any of its items: that of ours, if there is one. */
static inline const struct item *merged_item(const struct merged *x)
{
	return x->at[OURS] ? x->at[OURS] : x->at[THEIRS] ? x->at[THEIRS] : x->at[BASE];
}
/* The name, without its ending, by which files of ours (or else of base) name an object, in now. */
int merged_name_now(struct merge *m);
/* The path of what ours has, or is to have (steps.h: order_all); the caller's. later: in the map to
 * be written. as: with the ending that this one has, or its name if it is no object; may be NULL.
 * NULL: no memory. */
char *merged_path(const struct merged *x, bool later, const struct item *as);
/* Whose content it has, unless it is made. */
static inline enum which merged_source(const struct merged *x)
{
	return x->take || !x->at[OURS] ? THEIRS : OURS;
}
/* Is it a directory of what files elsewhere name? */
bool merged_named(const struct merge *m, const struct merged *x);
/* Is it, or what it is in, perhaps another one? */
static inline bool merged_doubtful(const struct merged *x)
{
	while (x && !x->doubt)
		x = x->up;
	return x;
}
/* Is it, or what it is in, contested? */
static inline bool merged_contested(const struct merged *x)
{
	while (x && !x->contested)
		x = x->up;
	return x;
}
