/* SPDX-License-Identifier: Zlib */
/* index: make the RAW indexes of an archive from its units, skills, affixes and so on. */
#pragma once

#include "formats/torchlight/model/map.h"
#include "tools/index/index.h"

extern const struct index_tool tl_index_tool;

/* Report all files that are missing in an index: a line for each index, or one line if there is no
 * index at all. Reads those files. A vfs_advise (vfs/volume/options.h), which ignores `before`. */
void tl_index_report_unlisted(
	const struct snapshot *before, const struct snapshot *map, format_say say, void *arg);
