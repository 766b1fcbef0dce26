/* SPDX-License-Identifier: Zlib */
/* reshape: tile layers of another size or version. */
#pragma once

#include "codec/text/csv.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/names/id.h"

enum { TW_SIDE_MIN = 2 };

/* The item's integers become `take` (which is taken over), and its tiles follow their width, height
 * and version: cropped, or extended with zeros. */
int tw_layer_reshape(const struct tw_map *m, uint32_t item, struct tw_ints *take,
	struct tw_change *c, struct error *e);

/* What was written last to a file of the layer, in whichever of its groups; NULL: nothing. c: of a
 * plane which, else 0. */
const struct format_written *tw_layer_written(const struct tw_map *m, uint32_t item,
	const struct format_others *others, enum tw_kind_id kind, unsigned c);
/* Where nobody wrote a layer.json, and all tables were written in this size, c gives it to the
 * layer (layout rule 14). */
int tw_layer_take_size(const struct tw_map *m, uint32_t item, const struct csv_shape *size,
	struct tw_change *c, struct error *e);
