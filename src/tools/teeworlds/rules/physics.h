/* SPDX-License-Identifier: Zlib */
/*
 * physics: count the tiles of physics layers, in one pass over each layer.
 *
 * If a map has several layers of a kind, only the last one that is in a group counts, as in a game.
 * A layer with an old form of tiles, which no current game reads, counts as missing and unread.
 */
#pragma once

#include "formats/teeworlds/item/tiles.h"

enum tw_played { TW_GAME, TW_FRONT, TW_TELE, TW_SPEEDUP, TW_SWITCH, TW_TUNE, TW_N_PLAYED };
extern const char *const tw_played_names[TW_N_PLAYED];
/* The kind (enum tw_played) of a physics layer, whatever the form of its tiles; -1 for others. */
int tw_played_of(const struct tw_item *it);

/* The number of equal tiles, and the index of the first one, row by row. */
struct tw_spot {
	uint32_t n, first;
};

struct tw_physics {
	bool unread; /* a layer could not be read, so missing tiles cannot be reported */
	struct tw_played_layer {
		bool is_present;
		uint32_t handle;
		struct tw_tiles t;
		struct tw_spot ids[256];    /* by id, without 0 (air) */
		struct tw_spot turned[256]; /* by id; only tiles that are mirrored or turned */
		/* [id][number], or [id][force] of speedups. NULL: game, front, absent layers. */
		struct tw_spot (*numbers)[256];
	} layers[TW_N_PLAYED];
};

/* Count the tiles of a map. The caller zeroes *ret, and finishes it also on failure. -ENOMEM. */
int tw_physics_count(const struct tw_map *m, struct tw_physics *ret, struct error *e);
void tw_physics_finish(struct tw_physics *p);

void tw_spot_add(struct tw_spot *s, uint32_t at);                /* call it in the order of tiles */
struct tw_spot tw_spot_join(struct tw_spot a, struct tw_spot b); /* the tiles of both */

/* tiles.c: Describe a tile in a layer in a few words. *ret_turns: turning the tile has a meaning.
 * Returns NULL, and sets nothing, if no version of DDNet knows the tile in that layer. */
const char *tw_tile_name(enum tw_played layer, unsigned id, bool *ret_turns);
