/* SPDX-License-Identifier: Zlib */
/*
 * Hook-through tiles (DDNet's game/collision.cpp, IsThrough and IsHookBlocker). 5, 66 and 67 apply
 * to a solid tile of the game layer at the same place, 6 to one beside it.
 */
#include "tools/teeworlds/rules/look.h"

enum { SOLID = 1, NO_HOOK = 3, CUT = 5, BESIDE = 6, ALL = 66, FROM_SIDE = 67 };

/* The solid tiles of the game layer, as a bitmap. */
struct solid {
	uint32_t w, h;
	uint8_t *bits;
};

static bool is_solid(const struct solid *s, uint32_t at)
{
	return s->bits[at / 8] >> at % 8 & 1;
}

/* Is a neighbor solid? At the border a tile is its own neighbor, since outermost tiles repeat. */
static bool is_beside_solid(const struct solid *s, uint32_t at)
{
	uint32_t x = at % s->w, y = at / s->w;

	return is_solid(s, x ? at - 1 : at) || is_solid(s, x + 1 < s->w ? at + 1 : at) ||
	       is_solid(s, y ? at - s->w : at) || is_solid(s, y + 1 < s->h ? at + s->w : at);
}

static void look_through(
	const struct tw_look *look, const struct tw_played_layer *l, const struct solid *solid)
{
	static const uint8_t ids[] = {CUT, BESIDE, ALL, FROM_SIDE};
	struct tw_tile_walk walk = {.t = &l->t};
	struct tw_spot idle[256] = {0}; /* hook-through tiles, by id */

	if (!l->is_present || l->t.w != solid->w || l->t.h != solid->h)
		return;
	for (const uint8_t *tile; (tile = tw_tile_next(&walk, NULL));) {
		uint8_t id = tile[0];
		bool over = id == CUT || id == ALL || id == FROM_SIDE;

		if (id == BESIDE ? !is_beside_solid(solid, walk.position)
				 : over && !is_solid(solid, walk.position))
			tw_spot_add(&idle[id], walk.position);
	}
	for (size_t i = 0; walk.error == 0 && i < sizeof(ids); i++)
		tw_warn_at(look, l, idle[ids[i]], "id", tw_digits(ids[i]).text,
			"a solid tile of the game layer", "hook-through (%u) %s no solid tile%s",
			ids[i], ids[i] == BESIDE ? "is beside" : "is over",
			ids[i] == ALL || ids[i] == FROM_SIDE ? ": it stops hooks there" : "");
}

void tw_rule_through(const struct tw_look *look)
{
	const struct tw_played_layer *game = &look->physics->layers[TW_GAME];
	CLEANUP(free) uint8_t *bits = NULL;
	struct solid solid = {.w = game->t.w, .h = game->t.h};
	struct tw_tile_walk walk = {.t = &game->t};

	if (!tw_look_is_complete(look))
		return;
	solid.bits = bits = calloc((size_t)solid.w * solid.h / 8 + 1, 1);
	look->faults->out_of_memory |= !bits;
	for (const uint8_t *tile; bits && (tile = tw_tile_next(&walk, NULL));)
		if (tile[0] == SOLID || tile[0] == NO_HOOK)
			bits[walk.position / 8] |= (uint8_t)(1 << walk.position % 8);
	if (!bits || walk.error < 0)
		return;
	look_through(look, game, &solid);
	look_through(look, &look->physics->layers[TW_FRONT], &solid);
}
