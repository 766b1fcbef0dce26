/* SPDX-License-Identifier: Zlib */
/*
 * version: items of one version as items of another (libtw2 doc/map.md). Integers that a version
 * brought are zero, names empty, where the item has none; integers past a version's stay.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

/* A new item with that version, or NULL: no memory. v is borrowed. */
struct tw_ints *tw_group_to(const struct tw_ints *v, int32_t version);
struct tw_ints *tw_envelope_to(const struct tw_ints *v, int32_t version);
/* A layer that has its version's integer at least. Tiles are not looked at: from version 4 on
 * `data` is packed, which is the caller's to see to. */
struct tw_ints *tw_layer_to(const struct tw_ints *v, int32_t version);

/* Where an item has its name, of a group, an envelope or a layer. */
struct tw_name_place {
	uint32_t at, n;   /* integers */
	uint32_t version; /* the integer that says the version ... */
	int32_t since; /* ... from which on it is there; INT32_MIN: where the item is long enough */
};

/* false: such an item never has one, or not in its integers. */
bool tw_name_place(const struct tw_item *it, struct tw_name_place *ret);
/* It has room for one now. */
bool tw_has_name(const struct tw_item *it, const struct tw_name_place *p);
/* The item with room for a name, where it has none. NULL: no memory. */
struct tw_ints *tw_name_room(const struct tw_item *it, const struct tw_name_place *p);
/* An empty name in n integers. */
void tw_name_clear(int32_t *v, unsigned n);
