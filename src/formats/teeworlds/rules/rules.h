/* SPDX-License-Identifier: Zlib */
/* rules: struct format_rules of Teeworlds and DDNet maps. */
#pragma once

#include "formats/rules.h"

extern const struct format_rules tw_rules;
