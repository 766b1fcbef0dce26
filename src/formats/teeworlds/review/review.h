/* SPDX-License-Identifier: Zlib */
/* review: struct format_review of Teeworlds and DDNet maps. */
#pragma once

#include "formats/review.h"

extern const struct format_review tw_review;
