/* SPDX-License-Identifier: Zlib */
/*
 * change: edits of a map that take effect together, or not at all.
 *
 *   tw_change_new, edits, tw_change_apply, tw_change_free
 *       The first edit copies the map to c->result. c->base stays unchanged.
 *   tw_change_begin, edits, tw_change_end
 *       The edits change the map itself, so c->base shows them. tw_change_end can undo them.
 *
 * The index of the map is the old one until the end (tw_change_apply, tw_change_end). Edits report
 * no errors: -ENOMEM stays in c->error, later edits do nothing, and the end returns it.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

struct tw_undo;

struct tw_change {
	struct tw_map *base;   /* the map to change: an owned reference, or borrowed if in place */
	struct tw_map *result; /* the changed map; NULL: no edits yet. Equals base if in place */
	const struct build_context *others; /* argument of format_edit.apply; or NULL */
	const struct tw_map *previous; /* a map built before, whose blobs are reused; or NULL */
	int error;                     /* 0 or -ENOMEM */

	/* Private to change.c. */
	bool in_place;
	bool reindex; /* in place: the edits change the index */
	struct tw_undo *undo;
	size_t n_undo, room_undo;
	size_t n_items, n_blobs; /* of base, before the first edit */
};

/* Create a change of m. Then set `others` and `previous` if needed. NULL: memory is exhausted. */
struct tw_change *tw_change_new(const struct tw_map *m);
void tw_change_free(struct tw_change *c); /* not for a change in place */
DEFINE_CLEANUP(struct tw_change, tw_change_free);

/* Begin a change of *s in place. If *s has other references, a copy replaces it first. -ENOMEM. */
int tw_change_begin(struct snapshot **s, struct tw_change *ret);
/* End a change in place: keep the edits, or undo them if !keep or an edit failed. *ret_changed: an
 * edit was kept. -ENOMEM if keep: an edit failed (*ret_changed is false), or the index could not be
 * rebuilt (it is true), and the map is unusable. */
int tw_change_end(struct tw_change *c, bool keep, bool *ret_changed, struct error *e);

/* The map that receives the edits, borrowed; copied from c->base if needed. NULL after an error. */
struct tw_map *tw_change_map(struct tw_change *c);

/* Set the integers of an item. Consumes take; NULL counts as exhausted memory. */
void tw_change_set_ints(struct tw_change *c, uint32_t item, struct tw_ints *take);
/* Set tw_item.own_data. Consumes take; NULL removes the data. */
void tw_change_set_extra(struct tw_change *c, uint32_t item, struct tw_ints *take);
/* Set the blob that integer `field` of an item, which has it, refers to. Consumes take. An old blob
 * with no other user is replaced under its handle. Otherwise take is appended and the integer set.
 * If take is NULL, the integer becomes -1, and an old blob with no other user is removed. */
void tw_change_set_data(struct tw_change *c, uint32_t item, uint32_t field, struct blob *take);
/* The blob that integer `field` of the item refers to in c->previous, borrowed; NULL if none. */
struct blob *tw_change_previous_blob(const struct tw_change *c, uint32_t item, uint32_t field);
/* Set the blob of a handle, for all its users. Consumes take; NULL counts as exhausted memory. */
void tw_change_set_blob(struct tw_change *c, uint32_t blob, struct blob *take);
/* Append an item. Consumes take; NULL counts as exhausted memory. Returns handle or UINT32_MAX. */
uint32_t tw_change_add_item(struct tw_change *c, uint16_t type, uint16_t id, struct tw_ints *take);
/* Remove an item. Nothing may refer to it. */
void tw_change_remove_item(struct tw_change *c, uint32_t item);

/* Set one integer of an item, which must exist, even after an error, and be long enough. */
void tw_change_set_int(struct tw_change *c, uint32_t item, uint32_t i, int32_t value);

/* Replace *s, which must be the map given to tw_change_new, by the changed map (without edits, by a
 * copy). -ENOMEM: *s is unchanged. */
int tw_change_apply(struct snapshot **s, struct tw_change *c, struct error *e);

/* Number of fields that refer to each blob, by handle. Only tw_map_set_data keeps it current. */
struct tw_users {
	uint32_t *counts; /* the caller frees them */
	size_t n, room;
};

int tw_users_count(const struct tw_map *m, struct tw_users *ret); /* -ENOMEM: counts is NULL */

/* Do what tw_change_set_data does, to a private map. blob is borrowed. users: updated; if NULL, the
 * users of the old blob are counted in all items. -ENOMEM. */
int tw_map_set_data(
	struct tw_map *m, uint32_t item, uint32_t field, struct blob *blob, struct tw_users *users);
