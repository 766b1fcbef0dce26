/* SPDX-License-Identifier: Zlib */
/* Triclon maps, for the table of formats. */
#pragma once

#include "formats/format.h"

extern const struct format format_triclon;
