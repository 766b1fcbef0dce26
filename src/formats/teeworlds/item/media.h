/* SPDX-License-Identifier: Zlib */
/*
 * media: which images and sounds can be shown as PNG and Opus (layout rules 10, 11), and their
 * items in another form (rule 7).
 */
#pragma once

#include "formats/teeworlds/model/map.h"

bool tw_image_is_png(const struct tw_map *m, const struct tw_item *it);
bool tw_sound_is_opus(const struct tw_map *m, const struct tw_item *it);
/* Do the first bytes of a sound begin an Opus file that a game plays? -EINVAL. */
enum { TW_OPUS_HEAD = 38 };
int tw_opus_check(const uint8_t head[TW_OPUS_HEAD], struct error *e);

/* The object has no content yet. */
static inline bool tw_is_empty(const struct tw_item *it)
{
	return it->made && it->ints->n == 0;
}

/* New integers for an image or sound, also for one that has none yet; NULL: no memory. The data
 * index in them is -1, for tw_change_data. A new image is of the map's kind: version 2 where all
 * others are, else 1. */
struct tw_ints *tw_image_item(
	const struct tw_map *m, const struct tw_item *it, bool external, int32_t w, int32_t h);
struct tw_ints *tw_sound_item(const struct tw_item *it, int32_t external, int32_t size);
