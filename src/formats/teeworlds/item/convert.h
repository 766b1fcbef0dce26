/* SPDX-License-Identifier: Zlib */
/*
 * convert: the items of images and sounds that are put in a form they do not have (layout rule 7),
 * or for the first time.
 *
 * All give new integers, NULL for no memory; the data index in them is -1, for tw_change_data. it
 * is the item as it is; one that was just made has no integers yet.
 */
#ifndef FORMATS_TEEWORLDS_ITEM_CONVERT_H
#define FORMATS_TEEWORLDS_ITEM_CONVERT_H

#include "formats/teeworlds/model/map.h"

/* The object has no content yet. */
static inline bool tw_is_empty(const struct tw_item *it)
{
	return it->made && it->ints->n == 0;
}

/* An image of the map's kind: version 2 where all others are, else 1. */
struct tw_ints *tw_image_item(
	const struct tw_map *m, const struct tw_item *it, bool external, int32_t w, int32_t h);
struct tw_ints *tw_sound_item(const struct tw_item *it, int32_t external, int32_t size);

#endif
