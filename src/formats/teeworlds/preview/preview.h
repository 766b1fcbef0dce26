/* SPDX-License-Identifier: Zlib */
#pragma once

#include "formats/preview.h"
#include "formats/teeworlds/model/map.h"

extern const struct format_preview tw_preview;

/* Of a picture whose longest side is to be `longest` pixels; from the tables alone. false: the map
 * has no game layer, whose form it would have. */
bool tw_preview_size(const struct tw_map *m, uint32_t longest, uint32_t *ret_w, uint32_t *ret_h);
