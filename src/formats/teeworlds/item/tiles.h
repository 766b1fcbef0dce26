/* SPDX-License-Identifier: Zlib */
/*
 * tiles: the tiles of a layer one by one, in whatever way they are stored.
 *
 * Version 4 of a tile layer stores a run of up to 256 equal tiles as one whose `skip` (the third
 * byte) says how many more follow (Teeworlds' editor, layer_tiles.cpp). A decoded tile has skip 0.
 *
 * Tiles that are not packed have bytes that nothing uses, and that the game insists are 0 (DDNet's
 * engine/shared/map.cpp). Whatever is written through a tile writer has zeros there.
 */
#pragma once

#include "base/disk/spool.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/change.h"

/* The value of a plane in a decoded tile. */
static inline int32_t tw_tile_cell(const struct tw_plane_at *at, const uint8_t *tile)
{
	if (!at->wide)
		return tile[at->at];
	return (int16_t)(uint16_t)(tile[at->at] | tile[at->at + 1] << 8);
}

/* Tiles [first, first + n), decoded, counted row by row. -EIO where the blob is damaged, or packed
 * tiles are not w * h exactly. */
int tw_tiles_read(
	const struct tw_tiles *t, uint64_t first, size_t n, uint8_t *dst, struct error *e);
/* Can all of them be read? Decodes all. */
int tw_tiles_sound(const struct tw_tiles *t, struct error *e);

/* The first unused byte that is not 0. */
struct tw_garbage {
	uint64_t at;   /* in the blob */
	uint8_t value; /* 0: there is none */
};
/* Packed tiles have none. Decodes all. */
int tw_tiles_garbage(const struct tw_tiles *t, struct tw_garbage *ret, struct error *e);

/* On the way over all tiles of t, row by row; all else is zero at first. */
enum { TW_TILE_RUN = 1024 /* tiles that are read at a time */ };
struct tw_tile_walk {
	const struct tw_tiles *t;
	uint32_t at; /* which tile the last one was */
	int error;   /* why there is no next one; 0: that was the last */
	uint32_t next;
	uint8_t run[TW_TILE_RUN * TW_TILE_MAX];
};
/* Good until the next call; NULL: there is none. */
const uint8_t *tw_tile_next(struct tw_tile_walk *w, struct error *e);

/* The columns and rows that show all there is to see, at most those that there are: the last ones
 * go on for ever, so one of air is needed beyond the last tile, and 2 of each are the least. 0 and
 * 0: there is no tile. */
int tw_tiles_needed(const struct tw_tiles *t, uint32_t *ret_w, uint32_t *ret_h, struct error *e);

/* tiles_pack.c: for packed tiles only. */
int tw_packed_sound(const struct tw_tiles *t, struct error *e);
int tw_packed_read(
	const struct tw_tiles *t, uint64_t first, size_t n, uint8_t *dst, struct error *e);

/* Tiles on their way into a spool. Begins as {.out, .form, .packed}, all else zero. */
struct tw_tile_writer {
	struct spool *out; /* borrowed */
	const struct tw_tile_form *form;
	bool packed;

	/* The rest is tiles.c's. */
	bool any; /* run holds one: packed tiles wait until they end */
	uint8_t run[TW_TILE_MAX];
};

/* Clears the unused bytes of the tiles, and appends them. */
int tw_tile_writer_put(struct tw_tile_writer *w, uint8_t *tiles, size_t n, struct error *e);
/* That was the last tile: appends what waits, and then the bytes behind the tiles of `old` (may be
 * NULL). Packed tiles have no such bytes. */
int tw_tile_writer_end(struct tw_tile_writer *w, const struct tw_tiles *old, struct error *e);
