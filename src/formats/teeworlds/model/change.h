/* SPDX-License-Identifier: Zlib */
/*
 * change: what a parse found, as data: a list of edits made against a version of the map. One
 * generic apply carries them out, so that what a change touches is known without asking the lens.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

enum tw_edit_kind {
	TW_SET_ITEM,  /* the item's integers become `ints` */
	TW_SET_EXTRA, /* what goes with the made item becomes `ints`, which may be NULL */
	/*
	 * The blob that integer `field` of the item names becomes `blob`. If that integer names a
	 * blob nobody else uses, it is replaced in place; if others use it, or it names none, the
	 * blob is appended and the integer set (the item must be long enough). blob NULL: the
	 * integer becomes -1, and a blob that nobody uses then leaves the map. Decided at apply,
	 * after earlier edits.
	 */
	TW_SET_DATA,
	TW_SET_BLOB,    /* the blob of that handle becomes `blob`, for all who use it (raw/data) */
	TW_ENTER_ITEM,  /* the reserved item comes, with integers `ints` */
	TW_ADD_ITEM,    /* appended to its type, with integers `ints` */
	TW_REMOVE_ITEM, /* nothing may refer to it */
};

/* As a handle: the item that this change added last. */
#define TW_ADDED UINT32_MAX

struct tw_edit {
	enum tw_edit_kind kind;
	uint32_t item;        /* handle of the item, or of the blob (SET_BLOB) */
	uint32_t field;       /* SET_DATA */
	uint16_t type, id;    /* ADD_ITEM */
	struct tw_ints *ints; /* owned */
	struct blob *blob;    /* owned */
};

struct tw_change {
	struct tw_map *base;                /* the version it was made against; owned reference */
	const struct format_others *others; /* struct format's, while it is made */
	struct tw_edit *edits;
	size_t n_edits, room_edits;
	int error; /* sticky -ENOMEM, reported by tw_change_take */
};

struct tw_change *tw_change_new(const struct tw_map *m); /* NULL: no memory */
void tw_change_free(struct tw_change *c);
DEFINE_CLEANUP(struct tw_change, tw_change_free);

/* These take the reference to ints or blob, also when they fail (the error stays in c). A NULL ints
 * or a NULL blob of tw_change_blob counts as short memory. Integers that an item has already are no
 * edit. */
void tw_change_item(struct tw_change *c, uint32_t item, struct tw_ints *take);
void tw_change_extra(struct tw_change *c, uint32_t item, struct tw_ints *take);
void tw_change_data(struct tw_change *c, uint32_t item, uint32_t field, struct blob *take);
void tw_change_blob(struct tw_change *c, uint32_t blob, struct blob *take);
void tw_change_add(struct tw_change *c, uint16_t type, uint16_t id, struct tw_ints *take);
void tw_change_enter(struct tw_change *c, uint32_t item, struct tw_ints *take);
void tw_change_remove(struct tw_change *c, uint32_t item);

/* Set one integer; nothing where it has that value already. */
void tw_change_int(struct tw_change *c, uint32_t item, uint32_t i, int32_t value);

/* Replaces *s, the version that c was made against, by the changed one. */
int tw_change_apply(struct snapshot **s, const struct tw_change *c, struct error *e);

/* How many fields name each blob, for many changes of a map that nothing else is done to. */
struct tw_users {
	uint32_t *v;
	size_t n, room;
};

int tw_users_count(const struct tw_map *m, struct tw_users *ret); /* -ENOMEM */

/* TW_SET_DATA, to a map that tw_map_copy gave. blob is borrowed. users is kept in step; NULL: who
 * uses the blob is looked up. -ENOMEM. */
int tw_map_set_data(
	struct tw_map *m, uint32_t item, uint32_t field, struct blob *blob, struct tw_users *users);
