/* SPDX-License-Identifier: Zlib */
/*
 * game: the game that a map was made for, and where that game keeps its images.
 *
 * Teeworlds 0.7 and DDNet (as Teeworlds 0.6) have different images under the same names:
 * grass_main, grass_doodads, winter_main, generic_shadows, generic_unhookable and easter. DDNet
 * also has some images of 0.7, with "_0.7" after the name.
 */
#pragma once

#include "formats/preview.h"
#include "formats/teeworlds/model/map.h"

/* The games, as preview_image_fn numbers them. */
enum { TW_IMAGES_DDNET = 1, TW_IMAGES_TEEWORLDS };
/* NULL-ended lists of each game's image directories, for format_preview.image_dirs. [0]: DDNet. */
extern const char *const *const tw_image_dirs[];

/* Was the map made for Teeworlds 0.7? Decides by versions of items that no other game writes. */
bool tw_is_07(const struct tw_map *m);
/* Find the PNG file of an image by `image` (not NULL): among the images of the map's own game; for
 * a map of 0.7 then as NAME_0.7 of DDNet; then among those of all games. The caller finishes *ret.
 * -ENOENT. Another error ends the search, and may leave e unset. */
int tw_find_image(const struct tw_map *m, preview_image_fn image, void *arg, const char *name,
	struct extent *ret, struct error *e);
