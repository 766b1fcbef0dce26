/* SPDX-License-Identifier: Zlib */
/* Teeworlds and DDNet maps, for the table of formats. */
#pragma once

#include "formats/format.h"

extern const struct format format_teeworlds;
