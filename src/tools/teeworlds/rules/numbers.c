/* SPDX-License-Identifier: Zlib */
/* Tiles that refer to each other by a number (names from DDNet's game/mapitems.h). */
#include "tools/teeworlds/rules/look.h"
#include "tools/teeworlds/rules/settings.h"

enum {
	TELE_IN_EVIL = 10,
	TELE_IN_WEAPON = 14,
	TELE_IN_HOOK = 15,
	TELE_IN = 26,
	TELE_OUT = 27,
	CHECKPOINT = 29,
	CHECKPOINT_OUT = 30,
	CHECKPOINT_IN = 31,
	CHECKPOINT_IN_EVIL = 63,
	TUNE = 68,
	DOOR = 240,
};

/* Tiles that need a number, entrances first. Switches: on and off for a time, on, off. */
static const uint8_t teles[] = {
	TELE_IN_EVIL, TELE_IN_WEAPON, TELE_IN_HOOK, TELE_IN, TELE_OUT, CHECKPOINT, CHECKPOINT_OUT};
enum { N_ENTRANCES = 4 };
static const uint8_t switches[] = {22, 23, 24, 25};

static struct tw_spot all_of(
	const struct tw_played_layer *l, const uint8_t *ids, size_t n, unsigned number)
{
	struct tw_spot all = {0};

	for (size_t i = 0; i < n; i++)
		all = tw_spot_join(all, l->numbers[ids[i]][number]);
	return all;
}

/* Does a checkpoint lead to the exit? A checkpoint without an exit of its number leads to the next
 * lower number that has one. */
static bool leads_to_checkpoint(const struct tw_played_layer *tele, unsigned exit)
{
	for (unsigned n = exit; n < 256 && (n == exit || !tele->numbers[CHECKPOINT_OUT][n].n); n++)
		if (tele->numbers[CHECKPOINT][n].n)
			return true;
	return false;
}

static void check_tele(const struct tw_look *look, const struct tw_played_layer *tele, unsigned n)
{
	const struct tw_spot in = all_of(tele, teles, N_ENTRANCES, n);
	const struct tw_spot exit = tele->numbers[TELE_OUT][n];
	const struct tw_spot checkpoint_exit = tele->numbers[CHECKPOINT_OUT][n];
	const struct tw_text number = tw_digits(n);

	if (!exit.n)
		tw_warn_at(look, tele, in, "number", number.text, "an exit",
			"entrance %u has no exit", n);
	if (!in.n)
		tw_warn_at(look, tele, exit, "number", number.text, "an entrance",
			"exit %u has no entrance", n);
	if (!checkpoint_exit.n)
		tw_warn_at(look, tele, tele->numbers[CHECKPOINT][n], "number", number.text,
			"a checkpoint exit", "checkpoint %u has no exit", n);
	if (!leads_to_checkpoint(tele, n))
		tw_warn_at(look, tele, checkpoint_exit, "number", number.text, "a checkpoint",
			"checkpoint exit %u has no checkpoint", n);
}

void tw_rule_tele(const struct tw_look *look)
{
	const struct tw_played_layer *tele = &look->physics->layers[TW_TELE];
	struct tw_spot back;

	if (!tele->numbers || look->physics->unread)
		return;
	for (unsigned n = 1; n < 256; n++)
		check_tele(look, tele, n);
	back = tw_spot_join(tele->ids[CHECKPOINT_IN], tele->ids[CHECKPOINT_IN_EVIL]);
	if (!tele->ids[CHECKPOINT_OUT].n)
		tw_warn_at(look, tele, back, "id", tw_digits(CHECKPOINT_IN).text,
			"a checkpoint exit",
			"it leads to checkpoints, but the map has no checkpoint exit");
}

static bool has_number(const struct tw_played_layer *l)
{
	for (unsigned id = 1; l->numbers && id < 256; id++)
		for (unsigned n = 1; n < 256; n++)
			if (l->numbers[id][n].n)
				return true;
	return false;
}

/* Doors of the game and front layers: DDNet's servers close no door in a map without a numbered
 * switch tile (ddnet/ddnet issue 12000). */
static void check_unnumbered_doors(const struct tw_look *look)
{
	for (unsigned k = TW_GAME; k <= TW_FRONT; k++)
		tw_warn_at(look, &look->physics->layers[k], look->physics->layers[k].ids[DOOR],
			"id", tw_digits(DOOR).text, "a switch layer with a numbered tile",
			"the door is always open, because no switch tile has a number");
}

void tw_rule_doors(const struct tw_look *look)
{
	const struct tw_played_layer *l = &look->physics->layers[TW_SWITCH];
	bool open[256] = {0};

	if (look->physics->unread)
		return;
	if (!has_number(l))
		check_unnumbered_doors(look);
	if (!l->numbers)
		return;
	tw_settings_open(look->m, open);
	for (unsigned n = 1; n < 256; n++)
		if (!open[n] && !all_of(l, switches, sizeof(switches), n).n)
			tw_warn_at(look, l, l->numbers[DOOR][n], "number", tw_digits(n).text,
				"a switch", "door %u has no switch", n);
}

void tw_rule_zeros(const struct tw_look *look)
{
	const struct tw_played_layer *tele = &look->physics->layers[TW_TELE];
	const struct tw_played_layer *speedup = &look->physics->layers[TW_SPEEDUP];
	const struct tw_played_layer *tune = &look->physics->layers[TW_TUNE];
	struct tw_spot still = {0};

	for (size_t i = 0; tele->numbers && i < sizeof(teles); i++)
		tw_warn_at(look, tele, tele->numbers[teles[i]][0], "number", "0", "1 to 255",
			"tile %u has number 0 and does nothing", teles[i]);
	for (unsigned id = 1; speedup->numbers && id < 256; id++)
		still = tw_spot_join(still, speedup->numbers[id][0]);
	tw_warn_at(look, speedup, still, "force", "0", "1 to 255",
		"the speedup has force 0 and does nothing");
	/* The game takes the index of the first tile for "no speedup" (ddnet/ddnet issue 12054). */
	for (unsigned id = 1; speedup->numbers && id < 256; id++)
		if (speedup->ids[id].n && speedup->ids[id].first == 0)
			tw_warn_at(look, speedup, (struct tw_spot){1, 0}, "x", "0", "another tile",
				"a speedup never works here");
	if (tune->numbers)
		tw_warn_at(look, tune, tune->numbers[TUNE][0], "number", "0", "1 to 255",
			"the tune zone is 0 (1 to 255)");
}
