/* SPDX-License-Identifier: Zlib */
/* Torchlight II mods and archives, for the table of formats. */
#ifndef FORMATS_TORCHLIGHT_FORMAT_H
#define FORMATS_TORCHLIGHT_FORMAT_H

#include "formats/format.h"

extern const struct format format_torchlight_mod, format_torchlight_pak;

#endif
