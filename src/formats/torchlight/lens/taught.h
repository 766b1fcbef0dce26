/* SPDX-License-Identifier: Zlib */
/*
 * taught: the part of a mount's state that an archive cannot store and the next base needs: the
 * names that texts taught, which files are shown by them, and for a new MOD its MOD.DAT. It is
 * saved in the name table of the mount, in these lines:
 *
 *   new header   this is a new MOD whose header was not written; MOD.DAT gives the header
 *   new          this is a new MOD whose header was written
 *   kit BYTES    MOD.DAT, in hexadecimal digits
 *   name TEXT    a name, or a line of a layout's table (names_extend)
 *   file N       entry N of the archive is shown by the names of all lines before this one
 *
 * Lines of wire/called.h are skipped.
 */
#pragma once

#include "formats/torchlight/model/map.h"

/* Append the lines for a finalized map. */
int tl_taught_put(const struct tl_map *m, struct buffer *out, struct error *e);
/* Apply the lines (NULL: none) to a map that was just opened. -EINVAL: a line is invalid. */
int tl_taught_take(struct tl_map *m, const struct bytes *list, struct error *e);
