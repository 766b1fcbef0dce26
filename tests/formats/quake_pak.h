/* SPDX-License-Identifier: Zlib */
#ifndef TESTS_FORMATS_QUAKE_PAK_H
#define TESTS_FORMATS_QUAKE_PAK_H

#include "formats/format.h"

extern const struct format format_quake_pak;

#endif
