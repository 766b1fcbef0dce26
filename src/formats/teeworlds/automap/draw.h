/* SPDX-License-Identifier: Zlib */
/* draw: which layers of a map are drawn, and by what. */
#ifndef FORMATS_TEEWORLDS_AUTOMAP_DRAW_H
#define FORMATS_TEEWORLDS_AUTOMAP_DRAW_H

#include "formats/automap.h"

extern const struct format_automap tw_automap;

#endif
