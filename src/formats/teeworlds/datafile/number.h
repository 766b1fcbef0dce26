/* SPDX-License-Identifier: Zlib */
/*
 * number: the numbers that data items get in a file that is written. Those that the file had keep
 * their order; a new one comes after the one that the reference writer would have put before it:
 * info, images, sounds, layers, each item's fields in order (DDNet's
 * game/editor/mapitems/map_io.cpp).
 */
#pragma once

#include "formats/teeworlds/model/map.h"

struct numbering {
	size_t n;     /* data items in the file */
	int32_t *of;  /* number by handle; -1: left out */
	uint32_t *at; /* handle by number */
};

int numbering_init(struct numbering *n, const struct tw_map *m, struct error *e);
void numbering_finish(struct numbering *n);
/* The blob of a number; NULL if it left the map, or has no bytes: DDNet loads no map with a data
 * item of no bytes, so one NUL is written in its place. */
struct blob *numbering_blob(const struct numbering *n, const struct tw_map *m, size_t number);
/* Integer i of an item as it is written; n may be NULL: as it is. */
int32_t numbering_int(
	const struct numbering *n, const struct tw_map *m, const struct tw_item *it, uint32_t i);
