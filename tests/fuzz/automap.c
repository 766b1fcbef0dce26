/* SPDX-License-Identifier: Zlib */
/* Rules of automatic mapping from untrusted files, and their effect on a layer. */
#include <string.h>

#include "support/fuzz.h"
#include "tools/teeworlds/automap/rules.h"

enum { W = 7, H = 5, TILES = W * H, CONFIGS = 4 };

static void count_fault(void *arg, const char *text)
{
	unsigned line;

	if (sscanf(text, "line %u: ", &line) != 1 || !line || strchr(text, '\n'))
		abort_broken("automap", "a fault without its line");
	++*(size_t *)arg;
}

static bool puts_tile(const struct tw_rules_config *c, struct tw_auto_tile tile)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->runs[i].n; k++)
			if (c->runs[i].rules[k].flags == tile.flags &&
				(c->runs[i].rules[k].index == tile.index || !tile.index))
				return true;
	return false;
}

/* Each tile is unchanged or put by a rule, and every run gives the same result. */
static void run_twice(const struct tw_rules_config *c, const struct tw_auto_tile *tiles,
	const struct tw_auto_reference *reference)
{
	struct tw_auto_tile made[2][TILES];

	for (int i = 0; i < 2; i++) {
		const struct tw_auto_grid layer = {.w = W, .h = H, .tiles = made[i]};

		memcpy(made[i], tiles, sizeof(made[i]));
		if (tw_rules_run(c, 1, reference, &layer) < 0)
			abort_broken("automap", "no memory for a small layer");
	}
	if (memcmp(made[0], made[1], sizeof(made[0])) != 0)
		abort_broken("automap", "another layer the second time");
	for (int i = 0; i < TILES; i++)
		if (memcmp(&made[0][i], &tiles[i], sizeof(tiles[i])) != 0 &&
			!puts_tile(c, made[0][i]))
			abort_broken("automap", "a tile that no rule puts");
}

TARGET(fuzz_automap)
{
	struct tw_auto_tile tiles[TILES], game[TILES];
	const struct tw_auto_grid grid = {.w = W, .h = H, .tiles = game};
	struct tw_auto_reference reference = {&grid, TW_REFERENCE_WHOLE};
	CLEANUP(tw_rules_destroy) struct tw_rules *rules = NULL, *quiet = NULL;
	struct error e = ERROR_INIT;
	size_t faults = 0;

	if (check_error(tw_rules_read((const char *)data, size, count_fault, &faults, &rules, &e),
		    &e) < 0)
		return;
	if (tw_rules_read((const char *)data, size, NULL, NULL, &quiet, &e) < 0 ||
		quiet->n != rules->n)
		abort_broken("automap", "the rules differ without a callback for faults");
	for (int i = 0; i < TILES; i++) {
		tiles[i] = (struct tw_auto_tile){(uint8_t)(i % 4), (uint8_t)(i % 16)};
		game[i] = (struct tw_auto_tile){(uint8_t)(i % 3), (uint8_t)(i % 5)};
	}
	for (size_t i = 0; i < rules->n && i < CONFIGS; i++) {
		run_twice(&rules->configs[i], tiles, NULL);
		run_twice(&rules->configs[i], tiles, &reference);
		reference.only = (int)i;
	}
}
