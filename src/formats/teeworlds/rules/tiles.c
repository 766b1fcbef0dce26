/* SPDX-License-Identifier: Zlib */
/* What tiles there have to be, and which ones mean something where they stand. */
#include <stdio.h>

#include "formats/teeworlds/rules/look.h"

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
			tw_warn(look, tw_in_item(game->handle), needed[i].what, "0", needed[i].ids,
				"there is no %s (%s in the game or front layer)", needed[i].what,
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
				"a tile that DDNet knows there",
				"no DDNet knows tile %u in the %s layer", id, tw_played_names[k]);
		else if (!turns)
			tw_warn_at(look, l, l->turned[id], "flags", "", "0",
				"tile %u is turned or mirrored, which means nothing there", id);
	}
}
