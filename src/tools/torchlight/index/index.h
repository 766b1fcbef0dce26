/* SPDX-License-Identifier: Zlib */
/* index: the RAW indexes of an archive, made from its units, skills, affixes and so on. */
#pragma once

#include "formats/torchlight/model/map.h"
#include "tools/index/index.h"

extern const struct index_tool tl_index_tool;
