/* SPDX-License-Identifier: Zlib */
/* rules: struct format_rules of Teeworlds and DDNet maps. */
#ifndef FORMATS_TEEWORLDS_RULES_RULES_H
#define FORMATS_TEEWORLDS_RULES_RULES_H

#include "formats/rules.h"

extern const struct format_rules tw_rules;

#endif
