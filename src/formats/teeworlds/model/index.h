/* SPDX-License-Identifier: Zlib */
/*
 * index: what is derived of all items of a map at once (tw_map_reindex), so that nothing that is
 * asked of one of them walks over the others. struct tw_index (map.h) has the tables.
 */
#ifndef FORMATS_TEEWORLDS_MODEL_INDEX_H
#define FORMATS_TEEWORLDS_MODEL_INDEX_H

#include "formats/teeworlds/model/map.h"

/* Would the index be another if the item had these integers? */
bool tw_index_differs(
	const struct tw_map *m, const struct tw_item *it, const struct tw_ints *fresh);

/* The parts of tw_map_reindex, of a map whose m->index has the lists of all types. -ENOMEM. */
int tw_index_uuids(struct tw_map *m);  /* uuids.c */
int tw_index_groups(struct tw_map *m); /* groups.c */

#endif
