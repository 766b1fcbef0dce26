/* SPDX-License-Identifier: Zlib */
/* Triclon maps, for the table of formats. */
#ifndef FORMATS_TRICLON_FORMAT_H
#define FORMATS_TRICLON_FORMAT_H

#include "formats/format.h"

extern const struct format format_triclon;

#endif
