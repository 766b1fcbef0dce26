/* SPDX-License-Identifier: Zlib */
/* paths: the paths of groups and layers of a map to be written, for what is told of them. */
#ifndef FORMATS_TEEWORLDS_NAMES_PATHS_H
#define FORMATS_TEEWORLDS_NAMES_PATHS_H

#include "formats/teeworlds/names/mounted.h"

enum { TW_PATH_MAX = 2 * NAME_MAX + 32 };

/* What the mount calls the item, or "layer 3" where it shows it in no group (that number is the
 * position in m). m: a version of the mounted map, or one that was finalized from it. */
void tw_path_group(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);
void tw_path_layer(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX]);

#endif
