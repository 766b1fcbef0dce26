/* SPDX-License-Identifier: Zlib */
/*
 * media: images and sounds that are shown as PNG and Opus (layout rules 10, 11), and their items.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

bool tw_image_is_png(const struct tw_map *m, const struct tw_item *it);
bool tw_sound_is_opus(const struct tw_map *m, const struct tw_item *it);
/* Check that the first bytes of a sound begin an Opus file that a game can play. -EINVAL. */
enum { TW_OPUS_HEAD = 38 };
int tw_opus_check(const uint8_t head[TW_OPUS_HEAD], struct error *e);

/* Is it an object that was created and has no content yet? */
static inline bool tw_is_empty(const struct tw_item *it)
{
	return it->made_name && it->ints->n == 0;
}

/* Create new integers for an image, which may have none yet. TW_IMG_DATA is -1, for
 * tw_change_set_data. A new image gets version 2 if all images of the mount have at least that,
 * otherwise 1. */
struct tw_ints *tw_new_image_ints(
	const struct tw_map *m, const struct tw_item *it, bool external, int32_t w, int32_t h);
/* Create new integers for a sound, which may have none yet. TW_SND_DATA is -1. */
struct tw_ints *tw_new_sound_ints(const struct tw_item *it, int32_t external, int32_t size);
