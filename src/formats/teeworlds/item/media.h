/* SPDX-License-Identifier: Zlib */
/* media: images and sounds that are shown as PNG and Opus, and their items. */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Is the image embedded as RGBA pixels, with enough data, and small enough for a PNG file? */
bool tw_image_is_png(const struct tw_map *m, const struct tw_item *it);
/* Is the sound embedded? Its data is not checked. */
bool tw_sound_is_opus(const struct tw_map *m, const struct tw_item *it);
enum { TW_OPUS_HEAD = 38 };
/* Check that `head`, filled up with zeros, begins an Opus file that a game can play. -EINVAL. */
int tw_opus_check(const uint8_t head[TW_OPUS_HEAD], struct error *e);

/* Was the object created since the mount, and has it no content yet? */
static inline bool tw_is_empty(const struct tw_item *it)
{
	return it->made_name && it->ints->n == 0;
}

/* Create new integers for an image, which may have none yet. TW_IMG_DATA is -1, for
 * tw_change_set_data; the name stays. An image without integers gets version 2 if the mount has
 * images and all have at least that, otherwise 1. NULL if memory is exhausted. */
struct tw_ints *tw_new_image_ints(
	const struct tw_map *m, const struct tw_item *it, bool external, int32_t w, int32_t h);
/* As tw_new_image_ints, for a sound, with TW_SND_DATA. external: 0 or 1. size: that of the data. */
struct tw_ints *tw_new_sound_ints(const struct tw_item *it, int32_t external, int32_t size);
