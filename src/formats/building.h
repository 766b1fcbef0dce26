/* SPDX-License-Identifier: Zlib */
/* building: the state of a build (formats/build.h), which build.c sets up and frees. identities.c
 * resolves the identities of objects; contents.c parses and applies contents. */
#pragma once

#include "base/hash.h"
#include "formats/build.h"

struct claim; /* an object or part of the base that an input stands for (identities.c) */

struct building {
	const struct snapshot *base; /* an argument of build(), as all pointers without a comment */
	const struct format *format;
	const struct snapshot *previous;
	struct snapshot *map;      /* owned: the base, with the changes so far */
	struct snapshot *bare_map; /* owned: map before the first content; parse gets it */
	const struct build_input *inputs;
	struct build_result *result;
	struct claim *claims; /* owned, as all arrays below; room for two per input */
	size_t n_claims;
	struct hash claimed; /* the claims, by object */
	entry_id *displaced; /* ascending: objects of the base whose paths are taken or removed */
	size_t n_displaced, room_displaced;
	struct placement *placements;
	size_t n_placements, room_placements;
	struct build_context context; /* for apply; valid once all contents are parsed */
	struct written_file *files;   /* context.files */
	bool has_progress;            /* the current round applied a content, or a part of it */
	bool is_last_round;           /* refuse contents that need other files */
};

/* Set the outcome of input i to BUILD_REFUSED, with the text of `why`. Leaves is_unresolved. */
void building_refuse(struct building *b, size_t i, const struct error *why);
/* Find the name class of input i, with its origin as the object to rename. It is NAME_SCRATCH if
 * the directory of the input is in no map. */
int building_classify(const struct building *b, size_t i, struct name_class *ret, struct error *e);
/* Append a placement for finalize. -ENOMEM. */
int building_place(struct building *b, struct placement p);
/* Apply a parsed value (NULL: the empty form of a mandatory part) to the map. A failure is a
 * refusal, unless error_is_transient. *ret_changed, also after -EAGAIN: whether the map changed. */
int building_apply(struct building *b, entry_id id, const struct parsed *p, bool *ret_changed,
	struct error *why);
/* Parse bytes for an entry of the map, and apply them. Errors and results as building_apply. */
int building_put(struct building *b, entry_id id, const struct extent *x, bool *ret_changed,
	struct error *why);

/* Allocate the claims, for resolve_identities. -ENOMEM. */
int identities_begin(struct building *b);
void identities_finish(struct building *b);
/* Find the identity of each input, and place the objects that are new, moved or removed. If it
 * returns -ENOMEM, e may be unset. */
int resolve_identities(struct building *b, struct error *e);
/* Parse and apply all contents, raw/ first. A refusal only sets the outcome of its input. */
int apply_contents(struct building *b, struct error *e);
