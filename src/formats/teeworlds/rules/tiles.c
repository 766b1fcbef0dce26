/* SPDX-License-Identifier: Zlib */
/* What tiles there have to be, and which ones mean something where they stand. */
#include <stdio.h>

#include "formats/teeworlds/rules/look.h"

/* Where a game knows a tile (DDNet's game/mapitems.cpp, IsValidGameTile and its like). */
enum {
	IN_GAME = 1 << TW_GAME,
	IN_FRONT = 1 << TW_FRONT,
	IN_TELE = 1 << TW_TELE,
	IN_SPEEDUP = 1 << TW_SPEEDUP,
	IN_SWITCH = 1 << TW_SWITCH,
	IN_TUNE = 1 << TW_TUNE,
	IN_BOTH = IN_GAME | IN_FRONT,
	IN_THREE = IN_BOTH | IN_SWITCH,
};

struct range {
	uint8_t first, last, where;
};

static const struct range known[] = {
	{1, 1, IN_GAME}, {2, 2, IN_BOTH},     /* death */
	{3, 3, IN_GAME}, {4, 6, IN_BOTH},     /* no laser, hook-through */
	{7, 7, IN_SWITCH},                    /* jumps */
	{9, 9, IN_THREE},                     /* freeze */
	{10, 10, IN_TELE},                    /* entrances, exits */
	{11, 11, IN_BOTH},                    /* unfreeze */
	{12, 13, IN_THREE},                   /* deep freeze */
	{14, 15, IN_TELE}, {16, 18, IN_BOTH}, /* wall jump, endless hook */
	{19, 20, IN_THREE},                   /* hit */
	{21, 22, IN_BOTH},                    /* solo */
	{22, 25, IN_SWITCH}, {26, 27, IN_TELE}, {28, 29, IN_SPEEDUP},
	{29, 31, IN_TELE},                    /* checkpoints */
	{32, 62, IN_BOTH},                    /* start, finish, times, stoppers */
	{63, 63, IN_TELE}, {64, 67, IN_BOTH}, /* speeders, hook-through */
	{68, 70, IN_TUNE}, {71, 76, IN_BOTH}, /* old laser, unlock team */
	{79, 79, IN_SWITCH}, {88, 91, IN_BOTH}, {95, 95, IN_SWITCH},
	{96, 97, IN_BOTH}, /* tele guns */
	{98, 99, IN_FRONT | IN_SWITCH}, {104, 107, IN_BOTH}, {112, 113, IN_BOTH},
	{128, 129, IN_BOTH}, {140, 143, IN_BOTH}, /* credits */
	{144, 145, IN_THREE},                     /* live freeze */
	{156, 159, IN_BOTH}, {190, 191, IN_BOTH}, /* "entities off" */
	{192, 229, IN_BOTH}, /* spawns, flags, pickups, lasers, plasma, shields */
	{197, 229, IN_SWITCH}, {233, 238, IN_THREE}, /* draggers */
	{240, 240, IN_THREE},                        /* doors */
};

/* Where turning means something, in whatever layer (IsRotatableTile). */
static const struct range turning[] = {
	{60, 61, IN_THREE},
	{64, 65, IN_THREE},
	{67, 67, IN_THREE},
	{190, 191, IN_THREE},
	{197, 202, IN_THREE},
	{224, 229, IN_THREE},
};

static bool is_in(const struct range *ranges, size_t n, unsigned id, unsigned layer)
{
	for (size_t i = 0; i < n; i++)
		if (id >= ranges[i].first && id <= ranges[i].last && ranges[i].where >> layer & 1)
			return true;
	return false;
}

static bool is_known(unsigned id, unsigned layer)
{
	return is_in(known, sizeof(known) / sizeof(known[0]), id, layer);
}

void tw_rule_race(const struct tw_look *look)
{
	static const struct {
		uint8_t first, last;
		const char *what, *ids;
	} needed[] = {{192, 194, "spawn", "192, 193 or 194"}, {33, 33, "start", "33"},
		{34, 34, "finish", "34"}, {35, 59, "time checkpoint", "35 to 59"}};
	const struct tw_played_layer *game = &look->physics->layers[TW_GAME];
	const struct tw_played_layer *front = &look->physics->layers[TW_FRONT];

	for (size_t i = 0; tw_look_at_all(look) && i < sizeof(needed) / sizeof(needed[0]); i++) {
		uint64_t n = 0;

		for (unsigned id = needed[i].first; id <= needed[i].last; id++)
			n += game->ids[id].n + front->ids[id].n;
		if (!n)
			tw_warn(look, tw_in_layer(game->handle), needed[i].what, "0", needed[i].ids,
				"there is no %s (%s in the game or front layer)", needed[i].what,
				needed[i].ids);
	}
}

void tw_rule_known(const struct tw_look *look)
{
	for (unsigned k = 0; k < TW_N_PLAYED; k++) {
		const struct tw_played_layer *l = &look->physics->layers[k];

		for (unsigned id = 1; id < 256; id++)
			if (l->ids[id].n && !is_known(id, k))
				tw_warn_at(look, l, l->ids[id], "id", tw_digits(id).text,
					"a tile that DDNet knows there",
					"no DDNet knows tile %u in the %s layer", id,
					tw_played_names[k]);
	}
}

void tw_rule_turned(const struct tw_look *look)
{
	for (unsigned k = 0; k < TW_N_PLAYED; k++) {
		const struct tw_played_layer *l = &look->physics->layers[k];

		for (unsigned id = 1; id < 256; id++)
			if (l->turned[id].n && is_known(id, k) &&
				!is_in(turning, sizeof(turning) / sizeof(turning[0]), id, k))
				tw_warn_at(look, l, l->turned[id], "flags", "", "0",
					"tile %u is turned or mirrored, which means nothing there",
					id);
	}
}
