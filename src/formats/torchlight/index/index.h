/* SPDX-License-Identifier: Zlib */
/* index: the RAW indexes of an archive, made from its units, skills, affixes and so on. */
#ifndef FORMATS_TORCHLIGHT_INDEX_INDEX_H
#define FORMATS_TORCHLIGHT_INDEX_INDEX_H

#include "formats/index.h"

extern const struct format_index tl_indexing;

#endif
