/* SPDX-License-Identifier: Zlib */
/* pictures: what differs, in the directory of diff --images. Nothing there is written over. What
 * cannot be drawn for a reason other than the map is told, and trouble. */
#pragma once

#include "cli/differing/differences.h"
#include "cli/differing/places.h"

enum { PICTURES_OF_PLACES = 16 /* at most, of each sort */ };

/* Of an image that changed; the picture's name, to be freed. NULL: there is none. */
char *pictures_of_image(
	struct differences *d, const char *path, struct reader *a, struct reader *b);
/* Of both maps as a whole, where one can be drawn. */
void pictures_of_map(struct differences *d);
/* Finds the places, and draws the largest; shown (may be NULL) is called with the name of each.
 * *ret_left: how many have no picture. -ENOMEM. */
int pictures_of_places(struct differences *d, struct places *p, bool played,
	void (*shown)(struct differences *d, const struct area *at, const char *name),
	size_t *ret_left);
