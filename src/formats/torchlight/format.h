/* SPDX-License-Identifier: Zlib */
/* Torchlight II mods and archives, for the table of formats. */
#pragma once

#include "formats/format.h"

extern const struct format format_torchlight_mod, format_torchlight_pak;
