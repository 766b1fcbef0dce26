/* SPDX-License-Identifier: Zlib */
/*
 * game_images: the images that come with DDNet (its data/mapres, as of 16.4 and of 19.1) and, the
 * last ones, with Teeworlds 0.7 alone.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

/* Colours of pixels of this alpha or less are not seen, and editors fill them with what is beside
 * (DDNet's tools/dilate.cpp). */
enum { TW_ALPHA_UNSEEN = 10 };

/* Has Teeworlds 0.7 an image of that name? With other tiles in it, there is a NAME_0.7 in DDNet, or
 * none (DDNet's game/client/components/mapimages.cpp). */
enum tw_in_07 { TW_NOT_IN_07, TW_SAME_IN_07, TW_OTHER_IN_07 };

struct tw_game_image {
	const char *name;
	uint32_t w, h; /* 0: its pixels are not known here */
	uint32_t seen; /* CRC-32 of its pixels, with the colours that are not seen as 0 */
	enum tw_in_07 in_07;
};

/* By a name of n bytes; NULL: there is no such image. If the versions have other pixels, those of
 * 16.4. */
const struct tw_game_image *tw_game_image(const char *name, size_t n);
/* Is it the image of that name, in either version? */
bool tw_is_game_image(const char *name, size_t n, uint32_t w, uint32_t h, uint32_t seen);

/* The CRC-32 of all that is seen of an image that is in the map as pixels. -EIO, -ENOMEM. */
int tw_image_seen(const struct tw_map *m, const struct tw_item *it, uint32_t *ret);
