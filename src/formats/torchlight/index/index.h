/* SPDX-License-Identifier: Zlib */
/* index: the RAW indexes of an archive, made from its units, skills, affixes and so on. */
#pragma once

#include "formats/index.h"
#include "formats/torchlight/model/map.h"

extern const struct format_index tl_indexing;

/* A line for each index that lacks files, or where there is no index at all one for those; takes
 * the time of reading them. */
void tl_index_say_missing(
	const struct tl_map *m, void (*say)(void *arg, const char *line), void *arg);
