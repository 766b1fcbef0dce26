/* SPDX-License-Identifier: Zlib */
/* draw: which layers of a map are drawn, and by what. */
#pragma once

#include "formats/automap.h"

extern const struct format_automap tw_automap;
