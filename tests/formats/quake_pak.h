/* SPDX-License-Identifier: Zlib */
#pragma once

#include "formats/format.h"

extern const struct format format_quake_pak;
