/* SPDX-License-Identifier: Zlib */
/*
 * taught: the names that texts taught a mount, and which files it shows by them, for the base that
 * a save leaves: an archive holds no names. Its lines, in order:
 *
 *   name TEXT    a name, or a line of a layout's table (names_extend)
 *   file N       entry N of the archive is shown by the names of all lines before
 *
 * among those of wire/called.h.
 */
#ifndef FORMATS_TORCHLIGHT_LENS_TAUGHT_H
#define FORMATS_TORCHLIGHT_LENS_TAUGHT_H

#include "formats/torchlight/model/map.h"

/* Appends what there is of a finalized map. */
int tl_taught_put(const struct tl_map *m, struct buffer *out, struct error *e);
/* A map that was just opened takes it over (NULL: there is none). -EINVAL: it is no such list. */
int tl_taught_take(struct tl_map *m, const struct bytes *list, struct error *e);

#endif
