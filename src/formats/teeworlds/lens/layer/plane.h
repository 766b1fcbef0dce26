/* SPDX-License-Identifier: Zlib */
/*
 * plane: one field of all tiles of a layer.
 */
#ifndef FORMATS_TEEWORLDS_LENS_LAYER_PLANE_H
#define FORMATS_TEEWORLDS_LENS_LAYER_PLANE_H

#include "formats/teeworlds/lens/lens.h"

/* The field becomes 0 in all tiles; the change may stay empty. */
int tw_plane_clear(const struct tw_map *m, entry_id id, struct tw_change *c, struct error *e);

#endif
