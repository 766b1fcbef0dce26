/* SPDX-License-Identifier: Zlib */
/* number: assign numbers to the data items of a file to be written. If a map has items or layers of
 * unknown kinds (!tw_all_known), these are the handles. Otherwise data items of the old file keep
 * their order. A new one follows the one that the reference writer would write before it. That
 * writer visits info, images, sounds and layers, and the fields of each item in order (DDNet's
 * game/editor/mapitems/map_io.cpp). */
#pragma once

#include "formats/teeworlds/model/map.h"

struct numbering {
	size_t n;          /* data items in the file to be written */
	int32_t *numbers;  /* by handle; -1: not written */
	uint32_t *handles; /* by number */
};

/* Number the data items of m. The caller zeroes *n before, and finishes it in any case. -ENOMEM. */
int numbering_init(struct numbering *n, const struct tw_map *m, struct error *e);
void numbering_finish(struct numbering *n);
/* The blob of a number, borrowed. NULL if it was removed or has no stored bytes: the writer then
 * writes one NUL, because DDNet rejects a map that has an empty data item. */
struct blob *numbering_blob(const struct numbering *n, const struct tw_map *m, size_t number);
/* Integer i of an item, which has it; if it is the handle of a blob, the number of that, or -1 if
 * it is not written. If n is NULL, nothing is replaced. */
int32_t numbering_int(
	const struct numbering *n, const struct tw_map *m, const struct tw_item *it, uint32_t i);
