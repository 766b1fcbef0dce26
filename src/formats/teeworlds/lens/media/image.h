/* SPDX-License-Identifier: Zlib */
/* image: the pixels of a PNG, without what else follows where one becomes an image of the map. */
#pragma once

#include "formats/teeworlds/model/map.h"

/* *ret is kept in the map's store. -EINVAL: it is no such PNG, or too large. */
int tw_image_pixels(const struct tw_map *m, const struct extent *png, struct blob **ret,
	uint32_t *ret_w, uint32_t *ret_h, struct error *e);
