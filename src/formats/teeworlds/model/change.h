/* SPDX-License-Identifier: Zlib */
/*
 * change: edits of a map that are made together, or not at all.
 *
 * A change of a version that others may read is made to a copy, at the first edit (tw_change_new).
 * A change of a map that is being built is made in place, and undone if it fails (tw_change_begin);
 * so what is read of the map during such a change is what the change has made of it.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

struct tw_undo;

struct tw_change {
	struct tw_map *base;                /* the version it is made against; owned reference */
	struct tw_map *to;                  /* what it becomes; NULL: nothing changed */
	const struct build_context *others; /* struct format_edit's, while it is made */
	const struct tw_map *like;          /* likewise */
	int error;                          /* sticky -ENOMEM, reported by tw_change_apply */

	/* The rest is change.c's. */
	bool in_place;
	bool reindex; /* the index follows from what was edited */
	struct tw_undo *undo;
	size_t n_undo, room_undo;
	size_t n_items, n_blobs; /* before */
};

struct tw_change *tw_change_new(const struct tw_map *m); /* NULL: no memory */
void tw_change_free(struct tw_change *c);
DEFINE_CLEANUP(struct tw_change, tw_change_free);

/* A change of *s in place: base and to are that map. If others have references to *s, it is
 * replaced by a copy first. -ENOMEM. Ended by tw_change_end, which finishes c. */
int tw_change_begin(struct snapshot **s, struct tw_change *ret);
/* keep: what was edited stays, and *ret_changed says whether anything was; else it is undone.
 * -ENOMEM: the map is good for nothing more. */
int tw_change_end(struct tw_change *c, bool keep, bool *ret_changed, struct error *e);

/* The map to write to; NULL: no memory (the error stays in c). */
struct tw_map *tw_change_map(struct tw_change *c);

/* These take the reference to ints or blob, also when they fail (the error stays in c). A NULL ints
 * or a NULL blob of tw_change_blob counts as short memory. */
/* The item's integers become those; nothing where it has them already. */
void tw_change_item(struct tw_change *c, uint32_t item, struct tw_ints *take);
/* The item's extra becomes those integers, which may be NULL. */
void tw_change_extra(struct tw_change *c, uint32_t item, struct tw_ints *take);
/*
 * The blob that integer `field` of the item names becomes that one. If that integer names a blob
 * nobody else uses, it is replaced in place; if others use it, or it names none, the blob is
 * appended and the integer set (the item must be long enough). NULL: the integer becomes -1, and a
 * blob that nobody uses then leaves the map.
 */
void tw_change_data(struct tw_change *c, uint32_t item, uint32_t field, struct blob *take);
/* The blob that this field of the item names in the map that was built before; or NULL. */
struct blob *tw_change_like(const struct tw_change *c, uint32_t item, uint32_t field);
/* The blob of that handle, for all who use it (raw/data). */
void tw_change_blob(struct tw_change *c, uint32_t blob, struct blob *take);
/* An item at the end of its type. Returns its handle. */
uint32_t tw_change_add(struct tw_change *c, uint16_t type, uint16_t id, struct tw_ints *take);
/* Nothing may refer to it. */
void tw_change_remove(struct tw_change *c, uint32_t item);

/* Set one integer; nothing where it has that value already. */
void tw_change_int(struct tw_change *c, uint32_t item, uint32_t i, int32_t value);

/* Replaces *s, the version that c was made against, by the changed one, which c gives away. */
int tw_change_apply(struct snapshot **s, struct tw_change *c, struct error *e);

/* How many fields name each blob, for many changes of a map that nothing else is done to. */
struct tw_users {
	uint32_t *v;
	size_t n, room;
};

int tw_users_count(const struct tw_map *m, struct tw_users *ret); /* -ENOMEM */

/* As tw_change_data, to a map that tw_map_copy gave; but blob is borrowed. users is kept in step;
 * NULL: who uses the blob is looked up. -ENOMEM. */
int tw_map_set_data(
	struct tw_map *m, uint32_t item, uint32_t field, struct blob *blob, struct tw_users *users);
