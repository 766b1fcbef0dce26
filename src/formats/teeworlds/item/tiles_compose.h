/* SPDX-License-Identifier: Zlib */
/*
 * tiles_compose: tiles that are changed when somebody reads them: the tiles that there were, and
 * what is done to them, one step upon another. Nothing is decoded before.
 */
#pragma once

#include "formats/teeworlds/item/tiles.h"

enum tw_tiles_what {
	TW_TILES_PLANE,  /* one field of all tiles becomes that of a table of their size */
	TW_TILES_CLEAR,  /* ... becomes 0 */
	TW_TILES_OPAQUE, /* the OPAQUE bit of these ids becomes another one */
	TW_TILES_REFIT,  /* cropped, or extended with zeros; packed, or not */
};

struct tw_tiles_step {
	enum tw_tiles_what what;
	struct content *table; /* of PLANE; borrowed */
	struct tw_plane_at at; /* of PLANE and CLEAR */
	uint8_t changed[32];   /* of OPAQUE, a bit for each id: does it change? */
	uint8_t opaque[32];    /* ... to this */
	uint32_t w, h;         /* of REFIT */
	enum tw_form form;
	bool packed;
};

/*
 * t with the step done; its blob may be NULL for REFIT: zeros. like (may be NULL): a blob that may
 * have been composed of the same: it, or one below it, is *ret then. -EINVAL: they are too many.
 */
int tw_tiles_compose(const struct tw_map *m, const struct tw_tiles *t,
	const struct tw_tiles_step *step, struct blob *like, struct blob **ret, struct error *e);
/* Is the table among the steps of which the blob is composed? */
bool tw_tiles_have_table(const struct blob *b, const struct content *table);
