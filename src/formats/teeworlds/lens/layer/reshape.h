/* SPDX-License-Identifier: Zlib */
/* reshape: tile layers of another size or version. */
#pragma once

#include "codec/blob.h"
#include "codec/text/csv.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/names/id.h"

enum { TW_SIDE_MIN = 2 };

/* A table. */
struct tw_parsed_plane {
	struct parsed parsed; /* first */
	struct csv_shape size;
	struct blob
		*compared_blob; /* the tiles that it was compared with; NULL: none of its size */
};

/* plane.c: a table of the layer was written in the size that the layer has, and is not applied yet:
 * it comes before the layer gets another. */
bool tw_plane_is_waiting(const struct tw_map *m, uint32_t item, const struct build_context *others);

/* The item's integers become `take` (which is taken over), and its tiles follow their width, height
 * and version: cropped, or extended with zeros. */
int tw_layer_reshape(const struct tw_map *m, uint32_t item, struct tw_ints *take,
	struct tw_change *c, struct error *e);

/* Could the item get these integers? Decodes its tiles if they would have to follow. -EIO: they are
 * damaged. -EINVAL: they would be too many. */
int tw_layer_can_reshape(const struct tw_map *m, const struct tw_item *it,
	const struct tw_ints *fresh, struct error *e);

/* What was written last to a file of the layer, in whichever of its groups; NULL: nothing. c: of a
 * plane which, else 0. */
const struct written_file *tw_layer_written(const struct tw_map *m, uint32_t item,
	const struct build_context *others, enum tw_kind_id kind, unsigned c);
/* Where nobody wrote a layer.json, and all tables were written in this size, c gives it to the
 * layer (layout rule 14). */
int tw_layer_take_size(const struct tw_map *m, uint32_t item, const struct csv_shape *size,
	struct tw_change *c, struct error *e);
