/* SPDX-License-Identifier: Zlib */
/*
 * holder: which images, sounds and envelopes the layers of a map refer to. This is the one place
 * that knows in which of their integers, and of those of their elements, references stand.
 */
#pragma once

#include "formats/teeworlds/names/sort.h"

enum { TW_HELD_MAX = 2 };

struct tw_held {
	enum tw_sort sort;
	uint32_t field;
};

/* The integers of a layer that are references; how many. The values may be anything. */
unsigned tw_held_fields(const struct tw_item *it, struct tw_held ret[TW_HELD_MAX]);

/* Those of a layer's elements, all to envelopes: each becomes what fn makes of it. *ret is the list
 * then, a new blob, or NULL where it stays as it is. -EIO: it cannot be read. */
int tw_held_elements(const struct tw_map *m, const struct tw_item *it,
	int32_t (*fn)(void *arg, int32_t ref), void *arg, struct blob **ret);

/* Which objects of these sorts layers refer to, by position. */
enum { TW_USABLE = TW_SORT_ENVELOPE + 1 };
struct tw_uses {
	bool *of[TW_USABLE];
	uint32_t n[TW_USABLE];
};

/* Also layers that no group has. gone (may be NULL): by handle, what does not count. -ENODATA:
 * there is one of which nobody knows what it refers to. Finish it in any case. */
int tw_uses_take(const struct tw_map *m, const bool *gone, struct tw_uses *ret);
void tw_uses_finish(struct tw_uses *u);
