/* SPDX-License-Identifier: Zlib */
#ifndef CLI_MERGING_SAME_H
#define CLI_MERGING_SAME_H

#include "formats/source.h"

/* Are the files of two maps the same, byte for byte? */
int same_maps(const struct source *a, const struct source *b);

#endif
