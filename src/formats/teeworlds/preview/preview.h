/* SPDX-License-Identifier: Zlib */
#ifndef FORMATS_TEEWORLDS_PREVIEW_PREVIEW_H
#define FORMATS_TEEWORLDS_PREVIEW_PREVIEW_H

#include "formats/preview.h"

extern const struct format_preview tw_preview;

#endif
