/* SPDX-License-Identifier: Zlib */
/* picture: textures of an archive, and the parts that image sets cut out of them. */
#pragma once

#include "formats/preview.h"

extern const struct format_preview tl_preview;
