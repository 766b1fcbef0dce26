/* SPDX-License-Identifier: Zlib */
/*
 * taught: what a mount knows and an archive does not hold, for the base that a save leaves: the
 * names that texts taught, and which files are shown by them; of a MOD that is being made MOD.DAT,
 * which makes its header unless somebody wrote that. Its lines, in order:
 *
 *   name TEXT    a name, or a line of a layout's table (names_extend)
 *   file N       entry N of the archive is shown by the names of all lines before
 *   new header   it is being made, and nobody wrote its header
 *   new          ... and somebody did
 *   kit BYTES    MOD.DAT, in hexadecimal digits
 *
 * among those of wire/called.h.
 */
#pragma once

#include "formats/torchlight/model/map.h"

/* Appends what there is of a finalized map. */
int tl_taught_put(const struct tl_map *m, struct buffer *out, struct error *e);
/* A map that was just opened takes it over (NULL: there is none). -EINVAL: it is no such list. */
int tl_taught_take(struct tl_map *m, const struct bytes *list, struct error *e);
