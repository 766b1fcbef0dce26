/* SPDX-License-Identifier: Zlib */
/*
 * building: a map on its way from a base and a tree (formats/build.h): what the steps of build
 * share. settle finds which entry of the tree is which object; contents puts what was closed.
 */
#pragma once

#include "base/hash.h"
#include "formats/build.h"

struct claim;

struct building {
	const struct snapshot *base;
	const struct format *format;
	const struct snapshot *previous;
	struct snapshot *map; /* the base, and what was done so far */
	struct snapshot
		*bare; /* ... when no content was applied yet: what contents are parsed for */
	const struct build_input *inputs;
	struct build_result *result;
	struct claim *claims; /* room for two of each entry */
	size_t n_claims;
	struct hash claimed;
	entry_id *homeless; /* ascending: objects of the base that do not stand at their paths */
	size_t n_homeless, room_homeless;
	struct placement *placements;
	size_t n_placements, room;
	struct build_context context; /* what apply is told: from when that is settled */
	struct written_file *files;   /* ... its */
	bool has_progress;
	bool is_last_round; /* what waits for others is refused */
};

/* Entry i is no part of the map, for this reason. */
void building_refuse(struct building *b, size_t i, const struct error *why);
/* What the entry's name means for what it came from. */
int building_meaning(const struct building *b, size_t i, struct name_class *ret, struct error *e);
/* An object stands there, or nowhere: for the format's finalize. -ENOMEM. */
int building_place(struct building *b, struct placement p);
/* Applies it; NULL: the empty form of what is always there. *ret_put: the map is another one now.
 */
int building_apply(
	struct building *b, entry_id id, const struct parsed *p, bool *ret_put, struct error *why);
/* Parses bytes that no file of the tree has, for an entry of now, and applies them. */
int building_put(
	struct building *b, entry_id id, const struct extent *x, bool *ret_put, struct error *why);

/* Room for what the two below need of a tree; freed by finish. -ENOMEM. */
int identities_begin(struct building *b);
void identities_finish(struct building *b);
/* The identity of each entry, and where objects stand that are new, moved or gone. */
int resolve_identities(struct building *b, struct error *e);
/* What was closed, raw/ first. */
int contents_put(struct building *b, struct error *e);
