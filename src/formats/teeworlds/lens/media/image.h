/* SPDX-License-Identifier: Zlib */
/* image: the pixels of a PNG as a blob. Neither the image's item nor OPAQUE bits change. */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Create a composed blob of the PNG's pixels, and find their size. It has its own reference to the
 * bytes of png. -EINVAL: the PNG is invalid or too large. */
int tw_image_pixels(const struct tw_map *m, const struct extent *png, struct blob **ret,
	uint32_t *ret_w, uint32_t *ret_h, struct error *e);
