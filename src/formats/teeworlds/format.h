/* SPDX-License-Identifier: Zlib */
/* Teeworlds and DDNet maps, for the table of formats. */
#ifndef FORMATS_TEEWORLDS_FORMAT_H
#define FORMATS_TEEWORLDS_FORMAT_H

#include "formats/format.h"

extern const struct format format_teeworlds;

#endif
