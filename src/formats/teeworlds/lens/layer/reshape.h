/* SPDX-License-Identifier: Zlib */
/* reshape: change the size or version of a tile layer. Its size is that of layer.json. If that was
 * not written, but all tables in one new size, the layer takes their size. */
#pragma once

#include "codec/blob.h"
#include "codec/text/csv.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/names/id.h"

enum { TW_SIDE_MIN = 2 /* least width and height of a table or a new layer */ };

/* The parsed value of a table. */
struct tw_parsed_plane {
	struct parsed parsed;  /* first */
	struct csv_shape size; /* of the table */
	/* The tiles with which parse compared the table, to set is_unchanged; owned reference.
	 * NULL: the layer is new, or has another size. */
	struct blob *compared_blob;
};

/* Is there a valid written table of the layer's present size that is not applied yet? Then it must
 * be applied before the layer gets another size. False if others is NULL. In plane.c. */
bool tw_plane_is_waiting(const struct tw_map *m, uint32_t item, const struct build_context *others);

/* Set the integers of a layer, and crop its tiles or extend them with zeros to the new width,
 * height and version; unreadable unused tiles become zeros. Consumes take, which is not NULL. -EIO:
 * the tiles are damaged; -EINVAL: there would be too many; the caller must undo c then. */
int tw_layer_reshape(const struct tw_map *m, uint32_t item, struct tw_ints *take,
	struct tw_change *c, struct error *e);

/* Check whether a layer can get the integers `fresh`. Decodes its tiles if they would have to
 * change. -EIO: the tiles are damaged. -EINVAL: there would be too many. 0 if it has no tiles. */
int tw_layer_can_reshape(const struct tw_map *m, const struct tw_item *it,
	const struct tw_ints *fresh, struct error *e);

/* Find the written content of one file of a layer; NULL if there is none, or no others. c is the
 * enum tw_plane of a table, else 0. If several groups have it written, the last path counts. */
const struct written_file *tw_layer_written(const struct tw_map *m, uint32_t item,
	const struct build_context *others, enum tw_kind_id kind, unsigned c);
/* Give the layer this size through c, if c->others has no layer.json of it, but all its tables, and
 * these have this size, are valid, and were not all refused before (written_file.is_refused). Else
 * do nothing and return 0. Errors as tw_layer_reshape, and -EIO if the layer has no tiles. */
int tw_layer_take_size(const struct tw_map *m, uint32_t item, const struct csv_shape *size,
	struct tw_change *c, struct error *e);
