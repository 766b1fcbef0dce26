/* SPDX-License-Identifier: Zlib */
/* held: checks that paths stay the same across a save. */
#pragma once

#include "fixture.h"
#include "vfs/overlay/overlay.h"

/*
 * Save the map that the overlay makes of f's map, and reopen it as a mount continues with it (names
 * in struct format_context), into *ret; free it with fixture_close. Returns 1 if it was saved, 2 if
 * refused files were left out, 0 if no map can be saved. Returns -1, and prints the difference, if
 * the new map lacks paths of objects that the overlay shows.
 */
int held_save(const struct fixture *f, const struct overlay *o, struct fixture *ret);
/* Do both maps show the same paths with the same content? Prints the first difference. */
bool held_same(const struct snapshot *a, const struct snapshot *b);
