/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/raw/rawindex.h"

#include <string.h>
#include <strings.h>

static const char *const unit_sections[] = {"ITEMS", "MONSTERS", "PLAYERS", "PROPS", NULL};

const char *const raw_menus[RAW_MENUS] = {"none", "TEST MENU", "HUD MENU", "CHAT MENU",
	"PLAYER STATS MENU", "MERCHANT MENU", "SKILL MENU", "QUEST DIALOG MENU", "QUEST MENU",
	"MESSAGE BOX MENU", "MAIN MENU", "SERVER MENU", "CONSOLE MENU", "RESURRECTION MENU",
	"TOWNPORTAL MENU", "HOTBAR CONTEXT MENU", "STANDALONE SERVER MENU", "LOGIN MENU",
	"UPSELL MENU", "CLIENT OPTIONS"};

const char *const raw_states[RAW_STATES] = {
	"none", "Testing", "All", "In Game", "Server Only", "Loading", "Main Menu Mod"};

const struct raw_type_facts raw_types[RAW_TYPES] = {
	[RAW_U8] = {.size = 1, .min = 0, .max = UINT8_MAX},
	[RAW_I32] = {.size = 4, .min = INT32_MIN, .max = INT32_MAX},
	[RAW_I64] = {.size = 8, .min = INT64_MIN, .max = INT64_MAX},
	[RAW_TEXTS] = {.list = 1},
	[RAW_IDS] = {.list = 4, .size = 8, .min = INT64_MIN, .max = INT64_MAX},
	[RAW_MENU] = {0, 4, 0, UINT32_MAX, raw_menus, RAW_MENUS},
	[RAW_STATE] = {0, 4, 0, UINT32_MAX, raw_states, RAW_STATES},
};

/* The last one has no name. */
static const struct raw_kind kinds[] = {
	{.name = "AFFIXES",
		.count_bytes = 2,
		.n_columns = 8,
		.columns = {{"file", RAW_TEXT}, {"name", RAW_TEXT}, {"min_spawn", RAW_I32},
			{"max_spawn", RAW_I32}, {"weight", RAW_I32}, {"difficulties", RAW_I32},
			{"unittypes", RAW_TEXTS}, {"not_unittypes", RAW_TEXTS}}},
	{.name = "MISSILES",
		.count_bytes = 2,
		.n_columns = 2,
		.columns = {{"file", RAW_TEXT}, {"missiles", RAW_TEXTS}}},
	{.name = "ROOMPIECES",
		.count_bytes = 4,
		.n_columns = 2,
		.first_column_apart = true,
		.columns = {{"file", RAW_TEXT}, {"guids", RAW_IDS}}},
	{.name = "SKILLS",
		.count_bytes = 4,
		.n_columns = 3,
		.columns = {{"name", RAW_TEXT}, {"file", RAW_TEXT}, {"guid", RAW_I64}}},
	{.name = "TRIGGERABLES",
		.count_bytes = 2,
		.n_columns = 2,
		.columns = {{"file", RAW_TEXT}, {"name", RAW_TEXT}}},
	{.name = "UI",
		.count_bytes = 4,
		.n_columns = 8,
		.columns = {{"name", RAW_TEXT}, {"file", RAW_TEXT}, {"type", RAW_MENU},
			{"game_state", RAW_STATE}, {"create", RAW_U8}, {"multiplayer_only", RAW_U8},
			{"singleplayer_only", RAW_U8}, {"key", RAW_TEXT}}},
	{.name = "UNITDATA",
		.count_bytes = 4,
		.n_columns = 10,
		.sections = unit_sections,
		.columns = {{"guid", RAW_I64}, {"name", RAW_TEXT}, {"file", RAW_TEXT},
			{"flags", RAW_U8}, {"level", RAW_I32}, {"min", RAW_I32}, {"max", RAW_I32},
			{"rarity", RAW_I32}, {"rarity_hc", RAW_I32}, {"unittype", RAW_TEXT}}},
	{.name = NULL},
};

const struct raw_kind *raw_kind_find(const char *name)
{
	size_t n;

	for (const struct raw_kind *k = kinds; k->name; k++) {
		n = strlen(k->name);
		if (!strncasecmp(name, k->name, n) && !strcasecmp(name + n, ".RAW"))
			return k;
	}
	return NULL;
}
