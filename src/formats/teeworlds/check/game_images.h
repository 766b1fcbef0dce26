/* SPDX-License-Identifier: Zlib */
/* game_images: the images that come with DDNet (its data/mapres, of versions 16.4 and 19.1),
 * followed by those that only Teeworlds 0.7 has. */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Pixels with this alpha or less are invisible. Editors give them the color of their neighbors
 * (DDNet's tools/dilate.cpp), so their colors are not compared. */
enum { TW_ALPHA_UNSEEN = 10 };

/* Has Teeworlds 0.7 an image of this name? If its tiles differ (TW_OTHER_IN_07), DDNet may have
 * them as NAME_0.7 (DDNet's game/client/components/mapimages.cpp). */
enum tw_in_07 { TW_NOT_IN_07, TW_SAME_IN_07, TW_OTHER_IN_07 };

struct tw_game_image {
	const char *name;
	uint32_t w, h;     /* 0, as checksum: size and pixels are unknown */
	uint32_t checksum; /* CRC-32 of the RGBA pixels, with the colors of invisible ones as 0 */
	enum tw_in_07 in_07;
};

/* Find the image with a name of n bytes; NULL if there is none. If the pixels differ between
 * versions, this is the image of 16.4. */
const struct tw_game_image *tw_game_image(const char *name, size_t n);
/* Has the image of this name these pixels in any version? */
bool tw_is_game_image(const char *name, size_t n, uint32_t w, uint32_t h, uint32_t checksum);

/* Decode an image with tw_image_is_png (item/media.h), and compute tw_game_image.checksum. */
int tw_image_checksum(const struct tw_map *m, const struct tw_item *it, uint32_t *ret);
