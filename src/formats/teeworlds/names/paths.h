/* SPDX-License-Identifier: Zlib */
/* paths: the paths of objects, for what is told of them. */
#pragma once

#include "formats/teeworlds/names/mounted.h"

enum { TW_PATH_MAX = 2 * NAME_MAX + 32 };

/* What the mount calls a group or a layer, or "layer 3" where it shows it in no group (that number
 * is the position in m). m: a version of the mounted map, or one that was finalized from it. */
void tw_path_group(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);
void tw_path_layer(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);
/* Of an image, a sound or an envelope of the mounted map; "raw/items/00002_image" and so on where
 * the mount has no name for it. */
void tw_path_object(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);

/* The last component of the path of an object that stands in a group, where it is a layer; and
 * whether it was made or moved, as names/list.h has it. false: the mount has no name for it. */
bool tw_path_name(const struct tw_map *m, enum tw_sort sort, uint32_t item, uint32_t group,
	char dst[NAME_MAX + 1], bool *ret_moved);

/* Of any item: one of these, "info", or "raw/items/" and the number of its type. */
void tw_path_item(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);

/* The files of info/, in the order of the item's fields. */
enum { TW_INFO_FILES = 5 };
extern const char *const tw_info_names[TW_INFO_FILES];
