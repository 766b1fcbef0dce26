/* SPDX-License-Identifier: Zlib */
/* reshape: tile layers of another size or version. */
#ifndef FORMATS_TEEWORLDS_LENS_LAYER_RESHAPE_H
#define FORMATS_TEEWORLDS_LENS_LAYER_RESHAPE_H

#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/change.h"

enum { TW_SIDE_MIN = 2 };

/* The item's integers become `take` (which is taken over), and its tiles follow their width, height
 * and version: cropped, or extended with zeros. */
int tw_layer_reshape(const struct tw_map *m, uint32_t item, struct tw_ints *take,
	struct tw_change *c, struct error *e);

/*
 * A table of the layer was written in another size (layout rule 14). It waits: -EAGAIN, and c says
 * that it does, unless the layer knows. At the save (names/situation.h), where all tables of the
 * layer have waited for the same size and nobody wrote its layer.json, c gives the layer that size.
 */
int tw_layer_wants(const struct tw_map *m, uint32_t item, enum tw_plane plane, uint32_t w,
	uint32_t h, struct tw_change *c, struct error *e);

#endif
