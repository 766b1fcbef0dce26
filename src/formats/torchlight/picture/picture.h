/* SPDX-License-Identifier: Zlib */
/* picture: textures of an archive, and the parts that image sets cut out of them. */
#ifndef FORMATS_TORCHLIGHT_PICTURE_PICTURE_H
#define FORMATS_TORCHLIGHT_PICTURE_PICTURE_H

#include "formats/preview.h"

extern const struct format_preview tl_preview;

#endif
