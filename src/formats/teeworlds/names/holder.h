/* SPDX-License-Identifier: Zlib */
/* holder: the references from layers to images, sounds and envelopes. Code that follows or changes
 * all of them uses this file; item/elements.h has the elements of quads and sounds layers. */
#pragma once

#include "formats/teeworlds/names/sort.h"

enum { TW_HELD_MAX = 2 };

/* An integer of a layer that is a reference to an object of this sort. */
struct tw_layer_ref {
	enum tw_sort sort;
	uint32_t field; /* index of the integer */
};

/* List the integers of a layer that are references. Returns their count. All are within the item;
 * their values may refer to nothing. */
unsigned tw_held_fields(const struct tw_item *it, struct tw_layer_ref ret[TW_HELD_MAX]);

/* Replace each reference in the elements of a quads or sounds layer, all to envelopes, by fn(ref),
 * which is called during this call. *ret: a new blob with the data of the layer, or NULL if nothing
 * changes or the layer has no elements. -EIO: the data cannot be read. */
int tw_map_held_elements(const struct tw_map *m, const struct tw_item *it,
	int32_t (*fn)(void *arg, int32_t ref), void *arg, struct blob **ret);

/* The images, sounds and envelopes that layers refer to. */
enum { TW_USABLE = TW_SORT_ENVELOPE + 1 };
struct tw_used_objects {
	bool *is_used[TW_USABLE]; /* by position: is the object used? */
	uint32_t n[TW_USABLE];
};

/* Collect the references of all layers, including those in no group, but not those to objects
 * created since the mount. gone (may be NULL): by handle, layers to skip. -ENODATA: a layer is of
 * an unknown type, or its elements cannot be read. Call tw_uses_finish in any case. */
int tw_uses_collect(const struct tw_map *m, const bool *gone, struct tw_used_objects *ret);
void tw_uses_finish(struct tw_used_objects *u);
