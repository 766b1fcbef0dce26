/* SPDX-License-Identifier: Zlib */
/* convert: struct format_convert of Teeworlds and DDNet maps. */
#ifndef FORMATS_TEEWORLDS_CONVERT_CONVERT_H
#define FORMATS_TEEWORLDS_CONVERT_CONVERT_H

#include "formats/convert.h"

extern const struct format_convert tw_convert;

#endif
