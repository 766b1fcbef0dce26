/* SPDX-License-Identifier: Zlib */
/* Required tiles, and tiles without a meaning in their layer. */

#include "tools/teeworlds/rules/look.h"

/* Layers where a game knows a tile (DDNet's game/mapitems.cpp, IsValidGameTile and so on). */
enum {
	IN_GAME = 1 << TW_GAME,
	IN_FRONT = 1 << TW_FRONT,
	IN_TELE = 1 << TW_TELE,
	IN_SPEEDUP = 1 << TW_SPEEDUP,
	IN_SWITCH = 1 << TW_SWITCH,
	IN_TUNE = 1 << TW_TUNE,
	IN_BOTH = IN_GAME | IN_FRONT,
	IN_THREE = IN_BOTH | IN_SWITCH,
	TURNS = 1 << TW_N_PLAYED, /* turning it has a meaning (IsRotatableTile) */
};

/* Ordered by id. Tiles without a meaning of their own have the name of the tiles around them. */
static const struct {
	uint8_t first, last, where;
	const char *name;
} names[] = {
	{1, 1, IN_GAME, "solid"},
	{2, 2, IN_BOTH, "death"},
	{3, 3, IN_GAME, "unhookable"},
	{4, 4, IN_BOTH, "no laser"},
	{5, 5, IN_BOTH, "hook-through cut"},
	{6, 6, IN_BOTH, "hook-through"},
	{7, 7, IN_SWITCH, "jumps"},
	{9, 9, IN_THREE, "freeze"},
	{10, 10, IN_TELE, "red entrance"},
	{11, 11, IN_BOTH, "unfreeze"},
	{12, 12, IN_THREE, "deep freeze"},
	{13, 13, IN_THREE, "deep unfreeze"},
	{14, 14, IN_TELE, "entrance for weapons"},
	{15, 15, IN_TELE, "entrance for hooks"},
	{16, 16, IN_BOTH, "wall jump"},
	{17, 17, IN_BOTH, "endless hook on"},
	{18, 18, IN_BOTH, "endless hook off"},
	{19, 19, IN_THREE, "hitting others on"},
	{20, 20, IN_THREE, "hitting others off"},
	{21, 21, IN_BOTH, "solo on"},
	{22, 22, IN_BOTH, "solo off"},
	{22, 22, IN_SWITCH, "switch on for a time"},
	{23, 23, IN_SWITCH, "switch off for a time"},
	{24, 24, IN_SWITCH, "switch on"},
	{25, 25, IN_SWITCH, "switch off"},
	{26, 26, IN_TELE, "entrance"},
	{27, 27, IN_TELE, "exit"},
	{28, 28, IN_SPEEDUP, "speedup"},
	{29, 29, IN_SPEEDUP, "speedup of today"},
	{29, 29, IN_TELE, "checkpoint"},
	{30, 30, IN_TELE, "checkpoint exit"},
	{31, 31, IN_TELE, "checkpoint entrance"},
	{32, 32, IN_BOTH, "jumps refilled"},
	{33, 33, IN_BOTH, "start"},
	{34, 34, IN_BOTH, "finish"},
	{35, 59, IN_BOTH, "time checkpoint"},
	{60, 61, IN_BOTH | TURNS, "stopper"},
	{62, 62, IN_BOTH, "stopper"},
	{63, 63, IN_TELE, "red checkpoint entrance"},
	{64, 65, IN_BOTH | TURNS, "speeder"},
	{66, 66, IN_BOTH, "hook-through from everywhere"},
	{67, 67, IN_BOTH | TURNS, "hook-through from one side"},
	{68, 70, IN_TUNE, "tune zone"},
	{71, 71, IN_BOTH, "old laser"},
	{72, 72, IN_BOTH, "collision off for all"},
	{73, 73, IN_BOTH, "endless hook for all"},
	{74, 74, IN_BOTH, "hitting others off for all"},
	{75, 75, IN_BOTH, "hooking others off for all"},
	{76, 76, IN_BOTH, "team unlocked"},
	{79, 79, IN_SWITCH, "penalty"},
	{88, 88, IN_BOTH, "collision off"},
	{89, 89, IN_BOTH, "endless jumps off"},
	{90, 90, IN_BOTH, "jetpack off"},
	{91, 91, IN_BOTH, "hooking others off"},
	{95, 95, IN_SWITCH, "bonus"},
	{96, 96, IN_BOTH, "teleporting gun on"},
	{97, 97, IN_BOTH, "teleporting gun off"},
	{98, 99, IN_FRONT | IN_SWITCH, "teleporting gun allowed"},
	{104, 104, IN_BOTH, "collision on"},
	{105, 105, IN_BOTH, "endless jumps on"},
	{106, 106, IN_BOTH, "jetpack on"},
	{107, 107, IN_BOTH, "hooking others on"},
	{112, 112, IN_BOTH, "teleporting grenades on"},
	{113, 113, IN_BOTH, "teleporting grenades off"},
	{128, 128, IN_BOTH, "teleporting laser on"},
	{129, 129, IN_BOTH, "teleporting laser off"},
	{140, 143, IN_BOTH, "credits"},
	{144, 144, IN_THREE, "live freeze"},
	{145, 145, IN_THREE, "live unfreeze"},
	{156, 159, IN_BOTH, "credits"},
	{190, 191, IN_BOTH | TURNS, "\"entities off\""},
	{192, 192, IN_BOTH, "spawn"},
	{193, 193, IN_BOTH, "red spawn"},
	{194, 194, IN_BOTH, "blue spawn"},
	{195, 195, IN_BOTH, "red flag"},
	{196, 196, IN_BOTH, "blue flag"},
	{197, 197, IN_THREE | TURNS, "shield"},
	{198, 198, IN_THREE | TURNS, "heart"},
	{199, 199, IN_THREE | TURNS, "shotgun"},
	{200, 200, IN_THREE | TURNS, "grenade launcher"},
	{201, 201, IN_THREE | TURNS, "ninja"},
	{202, 202, IN_THREE | TURNS, "laser rifle"},
	{203, 209, IN_THREE, "laser"},
	{210, 218, IN_THREE, "laser's length"},
	{219, 219, IN_THREE, "laser"},
	{220, 223, IN_THREE, "plasma turret"},
	{224, 224, IN_THREE | TURNS, "exploding bullet"},
	{225, 225, IN_THREE | TURNS, "bullet"},
	{226, 226, IN_THREE | TURNS, "shield that takes the shotgun"},
	{227, 227, IN_THREE | TURNS, "shield that takes the grenade launcher"},
	{228, 228, IN_THREE | TURNS, "shield that takes the ninja"},
	{229, 229, IN_THREE | TURNS, "shield that takes the laser rifle"},
	{233, 235, IN_THREE, "dragger"},
	{236, 238, IN_THREE, "dragger through walls"},
	{240, 240, IN_THREE, "door"},
};

const char *tw_tile_name(enum tw_played layer, unsigned id, bool *ret_turns)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (id < names[i].first || id > names[i].last || !(names[i].where >> layer & 1))
			continue;
		*ret_turns = names[i].where & TURNS;
		return names[i].name;
	}
	return NULL;
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

	for (size_t i = 0; tw_look_is_complete(look) && i < sizeof(needed) / sizeof(needed[0]);
		i++) {
		uint64_t n = 0;

		for (unsigned id = needed[i].first; id <= needed[i].last; id++)
			n += game->ids[id].n + front->ids[id].n;
		if (!n)
			tw_warn(look, tw_in_item(game->handle), needed[i].what, "0", needed[i].ids,
				"the map has no %s (%s in the game or front layer)", needed[i].what,
				needed[i].ids);
	}
}

void tw_rule_tiles(const struct tw_look *look)
{
	for (unsigned at = 1; at < TW_N_PLAYED * 256; at++) {
		unsigned k = at / 256, id = at % 256;
		const struct tw_played_layer *l = &look->physics->layers[k];
		bool turns;

		if (!tw_tile_name(k, id, &turns))
			tw_warn_at(look, l, l->ids[id], "id", tw_digits(id).text,
				"a tile known to DDNet in this layer",
				"tile %u is unknown to DDNet in the %s layer", id,
				tw_played_names[k]);
		else if (!turns)
			tw_warn_at(look, l, l->turned[id], "flags", "", "0",
				"tile %u is rotated or mirrored, which has no effect", id);
	}
}
