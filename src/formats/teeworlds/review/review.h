/* SPDX-License-Identifier: Zlib */
/* review: struct format_review of Teeworlds and DDNet maps. */
#ifndef FORMATS_TEEWORLDS_REVIEW_REVIEW_H
#define FORMATS_TEEWORLDS_REVIEW_REVIEW_H

#include "formats/review.h"

extern const struct format_review tw_review;

#endif
