/* SPDX-License-Identifier: Zlib */
/* repair: repairs by tools for whole maps. They read c->base; edits, and their -ENOMEM, go to c. */
#pragma once

#include "formats/teeworlds/model/change.h"

/* Set the unused bytes of a tile layer to 0. Returns 1; 0 if there are none, or if its tiles cannot
 * be read; or -errno. */
int tw_repair_tiles(struct tw_change *c, uint32_t item, struct error *e);

/* Where items of a type have the same id, give all but one the ids after the largest. Those for
 * which no id is left keep theirs. done (may be NULL) is called with each id that is replaced. */
void tw_repair_ids(struct tw_change *c, const struct tw_type *t,
	void (*done)(void *arg, unsigned type, unsigned id), void *arg);
