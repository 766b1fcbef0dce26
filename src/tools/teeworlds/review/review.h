/* SPDX-License-Identifier: Zlib */
/* review: struct review_tool of Teeworlds and DDNet maps. */
#pragma once

#include "tools/compare/review.h"

extern const struct review_tool tw_review;
