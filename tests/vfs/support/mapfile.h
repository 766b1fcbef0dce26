/* SPDX-License-Identifier: Zlib */
/*
 * A tiny Teeworlds map, with an independent writer and reader that share no code with src/, to
 * check saved maps. Facts of the container: ddnet's datafile.cpp, version 4.
 *
 * One group "g" with the layers "game" and "front" (4 x 3 tiles) and "deco" (4 x 3, with the
 * image); one image "img" of 2 x 2 pixels; info with author, version, credits, license, no
 * settings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { MAP_WIDTH = 4, MAP_HEIGHT = 3, MAP_CELLS = MAP_WIDTH * MAP_HEIGHT };
/* Layers by their position; data items in the order in which they are written. */
enum { MAP_GAME, MAP_FRONT, MAP_DECO };
enum { MAP_DATA_AUTHOR = 0 };

struct bytes *map_build(const char *author); /* the other three are "v1", "nobody", "CC0" */

/* Are header, tables and all blobs consistent? */
bool map_is_sound(const struct bytes *map);
/*
 * The text of a field of the info item (0 author ... 4 settings) as the mount shows it: each NUL is
 * a line feed; "" if there is none. NULL if it cannot be read. malloc'ed.
 */
char *map_info(const struct bytes *map, unsigned field);
/* The ids of a layer's tiles (for MAP_FRONT those of its own field). */
bool map_ids(const struct bytes *map, unsigned layer, uint8_t ret[MAP_CELLS]);
