/* SPDX-License-Identifier: Zlib */
/* points_text: the points of an envelope as its file lists them, which may be very many. */
#ifndef FORMATS_TEEWORLDS_LENS_POINTS_TEXT_H
#define FORMATS_TEEWORLDS_LENS_POINTS_TEXT_H

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/lens/record.h"

enum { TW_POINTS_AT_ONCE = 256 /* points whose text is written as soon as it is looked up */ };

extern const struct tw_key tw_point_keys[];
extern const char tw_points_key[]; /* "points" */

/*
 * The list, as the next value of the object that w writes. Text before `off`, an offset in the
 * file, may be passed over: of many points the first time all are looked at, and where their texts
 * begin is remembered.
 */
int tw_points_write(struct jsonw *w, const struct tw_map *m, const struct tw_item *envelope,
	uint64_t off, struct error *e);

#endif
