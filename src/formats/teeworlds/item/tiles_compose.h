/* SPDX-License-Identifier: Zlib */
/* tiles_compose: changes of a layer's tiles as composed blobs. Each is one step over another blob,
 * which may be composed, too. Tiles are decoded only when the blob is materialized. */
#pragma once

#include "formats/teeworlds/item/tiles.h"

enum tw_tiles_what {
	TW_TILES_PLANE,  /* set a plane from a table of w x h values */
	TW_TILES_CLEAR,  /* set a plane to 0 */
	TW_TILES_OPAQUE, /* set or clear the OPAQUE bit of tiles with certain ids */
	TW_TILES_CLEAN,  /* set unused bytes to 0 */
	TW_TILES_REFIT,  /* crop, or extend with zeros, and pack or unpack */
};

struct tw_tiles_step {
	enum tw_tiles_what kind;
	struct content *table; /* PLANE: text of the table, valid; the blob adds a reference */
	struct tw_plane_at at; /* PLANE, CLEAR */
	uint8_t changed[32];   /* OPAQUE: bit set of the tile ids to change */
	uint8_t opaque[32];    /* OPAQUE: bit set of the ids that get the bit; the others lose it */
	uint32_t w, h;         /* REFIT, with form and packed */
	enum tw_form form;
	bool packed;
};

/* Create a composed blob: the tiles t after a step, and the bytes that follow them in t->blob,
 * which REFIT drops. For REFIT t->blob may be NULL, meaning zeros. The blob uses the store and
 * budget of m. like: a blob of a map built before, or NULL. If like or a step below it is the same
 * step over the same tiles, *ret is a new reference to that blob. -EINVAL: REFIT to more tiles than
 * a data item can hold. -ENOMEM: *ret is NULL. */
int tw_tiles_compose(const struct tw_map *m, const struct tw_tiles *t,
	const struct tw_tiles_step *step, struct blob *like, struct blob **ret, struct error *e);
/* Compare a plane of the tiles with a table. -EINVAL: the table is invalid, or not w x h. -EIO as
 * tw_tiles_read. *ret_same is false on failure. */
int tw_tiles_compare(const struct tw_tiles *t, const struct tw_plane_at *at,
	const struct extent *table, bool *ret_same, struct error *e);
/* Does a blob, or a step below it, take a plane from this struct content? False if not composed. */
bool tw_tiles_have_table(const struct blob *b, const struct content *table);
