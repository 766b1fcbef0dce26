/* SPDX-License-Identifier: Zlib */
/* paths: paths of objects in reports and messages. m is a version of the mounted map, or a map
 * finalized from it; item is a handle in m. */
#pragma once

#include "formats/teeworlds/names/mounted.h"

enum { TW_PATH_MAX = 2 * NAME_MAX + 32 };

/* Write the path of a group: "groups/NAME", or "group 3" (its position in m) if it has no path. */
void tw_path_group(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);
/* Write the path of a layer in its first group, or "layer 3" (its position in m) if it has none. */
void tw_path_layer(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);
/* Write the path of an image, sound or envelope, or "raw/items/00002_image" if it has no path. */
void tw_path_object(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);

/* Write the last component of an object's path. Returns false if it has none: the object is new and
 * not placed, or the mount does not show it. group: position in m of a layer's group; 0 for other
 * sorts. *ret_moved: created or moved, as tw_table_entry.is_moved. */
bool tw_path_name(const struct tw_map *m, enum tw_sort sort, uint32_t item, uint32_t group,
	char dst[NAME_MAX + 1], bool *ret_moved);

/* Write the path of any item: as above, "info", or (always if only raw/ is shown) "raw/items/00005"
 * with the number of its type. */
void tw_path_item(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);

/* File names in info/: that of index i shows the info item's integer TW_INFO_AUTHOR + i. */
enum { TW_INFO_FILES = 5 };
extern const char *const tw_info_names[TW_INFO_FILES];
