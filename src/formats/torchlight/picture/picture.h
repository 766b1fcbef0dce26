/* SPDX-License-Identifier: Zlib */
/* picture: draw a texture of an archive, or a part of it that an image set names. */
#pragma once

#include "formats/preview.h"

extern const struct format_preview tl_preview;
