/* SPDX-License-Identifier: Zlib */
/* repair: repairs by tools for whole maps. They read c->base; edits, and their -ENOMEM, go to c. */
#pragma once

#include "formats/teeworlds/model/change.h"

/* Set the unused bytes of a tile layer to 0. Returns 1, or 0 if there are none, or if its tiles
 * cannot be read. */
int tw_repair_tiles(struct tw_change *c, uint32_t item, struct error *e);

/* Give the items of a type new ids where an id occurs twice; nothing refers to an item by its id.
 * done (may be NULL) is called for each id that is replaced, with the old id. */
void tw_repair_ids(struct tw_change *c, const struct tw_type *t,
	void (*done)(void *arg, unsigned type, unsigned id), void *arg);
