/* SPDX-License-Identifier: Zlib */
/*
 * tiles: read and write single tiles of a layer, packed or not.
 *
 * Version 4 of a tile layer packs tiles: a run of up to 256 equal tiles is one tile, whose third
 * byte (`skip`) counts the repetitions (Teeworlds' editor, layer_tiles.cpp). Decoded, it is 0.
 *
 * Tiles that are not packed have unused bytes, which must be 0 for a game (DDNet's
 * engine/shared/map.cpp). The tile writer clears them.
 */
#pragma once

#include "base/disk/spool.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/change.h"

/* The value of a plane in a decoded tile. */
static inline int32_t tw_tile_cell(const struct tw_plane_at *at, const uint8_t *tile)
{
	if (!at->is_wide)
		return tile[at->offset];
	return (int16_t)(uint16_t)(tile[at->offset] | tile[at->offset + 1] << 8);
}

/* Set the value of a plane in a decoded tile. */
static inline void tw_tile_set_cell(const struct tw_plane_at *at, uint8_t *tile, int32_t value)
{
	tile[at->offset] = (uint8_t)value;
	if (at->is_wide)
		tile[at->offset + 1] = (uint8_t)((uint32_t)value >> 8);
}

/* Read and decode the tiles [first, first + n), which exist, counted row by row. Materializes the
 * blob. -EIO: the blob is damaged, or packed tiles are not exactly w * h. */
int tw_tiles_read(
	const struct tw_tiles *t, uint64_t first, size_t n, uint8_t *dst, struct error *e);
/* Decode all tiles to check them. A blob that is not materialized yet passes. -EIO as above. */
int tw_tiles_check(const struct tw_tiles *t, struct error *e);

/* An unused byte that is not 0. */
struct tw_garbage {
	uint64_t at;   /* offset in the blob */
	uint8_t value; /* 0: none was found */
};
/* Find the first unused byte that is not 0 (packed: none). Decodes all. -EIO as above. */
int tw_tiles_find_garbage(const struct tw_tiles *t, struct tw_garbage *ret, struct error *e);

enum { TW_TILE_RUN = 1024 /* tiles that are read at a time */ };
/* An iteration over all tiles, row by row. Initialize it as {.t = t}; it needs no end. */
struct tw_tile_walk {
	const struct tw_tiles *t;
	uint32_t position; /* number of the tile returned last */
	int error;         /* after NULL was returned: 0 at the end, otherwise -errno */
	uint32_t next;     /* private, like run */
	uint8_t run[TW_TILE_RUN * TW_TILE_MAX];
};
/* Get the next decoded tile, valid until the next call. Returns NULL at the end and on errors. */
const uint8_t *tw_tile_next(struct tw_tile_walk *w, struct error *e);

/* Compute the size to which a layer of TW_FORM_TILES can be cropped without a visible change. The
 * game repeats the last row and column for ever, so one of air must follow the last tile. At least
 * 2 each, at most the current size; 0 x 0 if all tiles are air. -EIO as above. */
int tw_tiles_min_size(const struct tw_tiles *t, uint32_t *ret_w, uint32_t *ret_h, struct error *e);

/* tw_tiles_check for packed tiles (tiles_pack.c). */
int tw_packed_check(const struct tw_tiles *t, struct error *e);
/* tw_tiles_read for packed tiles (tiles_pack.c). */
int tw_packed_read(
	const struct tw_tiles *t, uint64_t first, size_t n, uint8_t *dst, struct error *e);

/* Writes tiles to a spool. Initialize it as {.out, .form, .packed}. */
struct tw_tile_writer {
	struct spool *out; /* borrowed */
	const struct tw_tile_form *form;
	bool packed;

	/* Private to tiles.c. */
	bool has_run; /* run holds a packed tile that is not written yet */
	uint8_t run[TW_TILE_MAX];
};

/* Append n decoded tiles. Clears their unused bytes in place unless they are to be packed. */
int tw_tile_writer_put(struct tw_tile_writer *w, uint8_t *tiles, size_t n, struct error *e);
/* Write the last run, but do not end the spool. Unless packed, append the bytes that follow the
 * tiles of old (or NULL) in its blob. */
int tw_tile_writer_end(struct tw_tile_writer *w, const struct tw_tiles *old, struct error *e);
