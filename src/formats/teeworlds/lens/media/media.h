/* SPDX-License-Identifier: Zlib */
/*
 * media: which images and sounds can be shown as PNG and Opus (layout rules 10, 11).
 */
#ifndef FORMATS_TEEWORLDS_LENS_MEDIA_MEDIA_H
#define FORMATS_TEEWORLDS_LENS_MEDIA_MEDIA_H

#include "formats/teeworlds/model/map.h"

bool tw_image_is_png(const struct tw_map *m, const struct tw_item *it);
bool tw_sound_is_opus(const struct tw_map *m, const struct tw_item *it);

#endif
