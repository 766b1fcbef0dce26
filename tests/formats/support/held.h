/* SPDX-License-Identifier: Zlib */
/* held: that paths hold still across a save. */
#pragma once

#include "fixture.h"
#include "vfs/overlay/overlay.h"

/* Saves what the tree makes of f's map, and opens it as a mount goes on with it (names in struct
 * format_context), into *ret (fixture_close). 1: it was; 2: ... without what
 * was refused; 0: there is no map. -1: it was, and does not show the objects' paths that the tree
 * shows, which is told. */
int held_save(const struct fixture *f, const struct overlay *o, struct fixture *ret);
/* Do both maps show the same paths with the same content? Else the first that differs is told. */
bool held_same(const struct snapshot *a, const struct snapshot *b);
