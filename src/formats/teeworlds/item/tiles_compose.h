/* SPDX-License-Identifier: Zlib */
/*
 * tiles_compose: changes of a layer's tiles as composed blobs. Each step refers to the data below
 * it and says how it changes. The tiles are decoded when the blob is made, and not before.
 */
#pragma once

#include "formats/teeworlds/item/tiles.h"

enum tw_tiles_what {
	TW_TILES_PLANE, /* one field of all tiles is taken from a table of their width and height */
	TW_TILES_CLEAR, /* one field of all tiles is 0 */
	TW_TILES_OPAQUE, /* the OPAQUE bit of tiles with certain ids is set or cleared */
	TW_TILES_CLEAN,  /* bytes that nothing uses are 0 */
	TW_TILES_REFIT,  /* the tiles are cropped, or extended with zeros; packed, or not */
};

struct tw_tiles_step {
	enum tw_tiles_what what;
	struct content *table; /* of PLANE; the composed blob adds a reference */
	struct tw_plane_at at; /* of PLANE and CLEAR */
	uint8_t changed[32];   /* of OPAQUE: a bit for each tile id whose tiles change */
	uint8_t opaque[32];    /* of OPAQUE: a bit for each id whose tiles have the flag after it */
	uint32_t w, h;         /* of REFIT */
	enum tw_form form;
	bool packed;
};

/*
 * The data of t with the step done; t's blob may be NULL for REFIT: zeros. m: whose store and
 * budget the blob uses. like (may be NULL): a blob of a map that was built before; if it, or the
 * blob of an earlier step of it, was composed of the same, *ret is that one. *ret is a new
 * reference. -EINVAL: the step gives more tiles than a data item can hold.
 */
int tw_tiles_compose(const struct tw_map *m, const struct tw_tiles *t,
	const struct tw_tiles_step *step, struct blob *like, struct blob **ret, struct error *e);
/* Do the cells of a table of the tiles' width and height equal this field of them? -EINVAL: it is
 * no such table. */
int tw_tiles_compare(const struct tw_tiles *t, const struct tw_plane_at *at,
	const struct extent *table, bool *ret_same, struct error *e);
/* Has a step of the composed blob put this table? */
bool tw_tiles_have_table(const struct blob *b, const struct content *table);
