/* SPDX-License-Identifier: Zlib */
/* same: would two maps be the same file? */
#ifndef FORMATS_TEEWORLDS_DATAFILE_SAME_H
#define FORMATS_TEEWORLDS_DATAFILE_SAME_H

#include "formats/format.h"

/* struct format's same. Blobs are compared as they are stored, where both are. */
bool tw_same(const struct snapshot *a, const struct snapshot *b);

#endif
