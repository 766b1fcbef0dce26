/* SPDX-License-Identifier: Zlib */
/*
 * physics: the tiles that a game plays with, counted in one pass over each layer.
 *
 * Of several layers of a kind the last one in a group counts, as in a game. A layer whose tiles are
 * of an old form, which no game of today reads, is not there.
 */
#pragma once

#include "formats/teeworlds/item/tiles.h"

enum tw_played { TW_GAME, TW_FRONT, TW_TELE, TW_SPEEDUP, TW_SWITCH, TW_TUNE, TW_N_PLAYED };
extern const char *const tw_played_names[TW_N_PLAYED];
/* Which of them a layer is, in whatever form; -1: none. */
int tw_played_of(const struct tw_item *it);

/* Tiles that are alike: how many, and where the first one is, counted row by row. */
struct tw_spot {
	uint32_t n, first;
};

struct tw_physics {
	bool unread; /* a layer cannot be read, so nothing can be said of what is lacking */
	struct tw_played_layer {
		bool there;
		uint32_t handle;
		struct tw_tiles t;
		struct tw_spot ids[256];    /* by id; none of 0, which is air */
		struct tw_spot turned[256]; /* ... of those that are mirrored or turned */
		/* By id and number, of speedups by id and force; NULL in game and front. */
		struct tw_spot (*numbers)[256];
	} layers[TW_N_PLAYED];
};

/* ret is large, and zeroed by the caller; finish it also on failure. -ENOMEM. */
int tw_physics_take(const struct tw_map *m, struct tw_physics *ret, struct error *e);
void tw_physics_finish(struct tw_physics *p);

void tw_spot_add(struct tw_spot *s, uint32_t at);
/* All of both. */
struct tw_spot tw_spot_join(struct tw_spot a, struct tw_spot b);

/* tiles.c: what a tile is in a layer, in a few words, and whether it means something that it
 * is turned; NULL: no DDNet knows it there. */
const char *tw_tile_name(enum tw_played layer, unsigned id, bool *ret_turns);
