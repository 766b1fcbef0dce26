/* SPDX-License-Identifier: Zlib */
/*
 * The words of DDNet's settings. Variables: those with CFGFLAG_GAME in engine/shared/
 * config_variables.h; commands: those that game/server/gamecontext.cpp registers with it; tunings:
 * game/tuning.h; bugs: game/mapbugs.cpp. Of 16.4 and of 19, so that a map is warned of neither's.
 */
#include <string.h>
#include <strings.h>

#include "formats/teeworlds/rules/settings.h"

const struct tw_setting tw_settings[] = {
	{"sv_deepfly", NULL},
	{"sv_destroy_bullets_on_death", NULL},
	{"sv_destroy_lasers_on_death", NULL},
	{"sv_dragger_range", NULL},
	{"sv_endless_drag", NULL},
	{"sv_freeze_delay", NULL},
	{"sv_hit", NULL},
	{"sv_max_team_size", NULL},
	{"sv_min_team_size", NULL},
	{"sv_no_weak_hook", NULL},            /* the name of the next one since 16.5 */
	{"sv_no_weak_hook_and_bounce", NULL}, /* in 16.4 */
	{"sv_old_laser", NULL},
	{"sv_old_teleport_hook", NULL},
	{"sv_old_teleport_weapons", NULL},
	{"sv_pauseable", NULL},
	{"sv_plasma_per_sec", NULL},
	{"sv_plasma_range", NULL},
	{"sv_reset_pickups", NULL},
	{"sv_save_worse_scores", NULL},
	{"sv_show_others_default", NULL},
	{"sv_solo_server", NULL},
	{"sv_team", NULL},
	{"sv_teleport_hold_hook", NULL},
	{"sv_teleport_lose_weapons", NULL},
	{"mapbug", "b"},
	{"switch_open", "s"},
	{"toggle_tune", "tnn"},
	{"tune", "t?n"},
	{"tune_zone", "ztn"},
	{"tune_zone_enter", "zr"},
	{"tune_zone_leave", "zr"},
	{0},
};

const struct tw_setting tw_tunings[] = {
	{"ground_control_speed", NULL},
	{"ground_control_accel", NULL},
	{"ground_friction", NULL},
	{"ground_jump_impulse", NULL},
	{"air_jump_impulse", NULL},
	{"air_control_speed", NULL},
	{"air_control_accel", NULL},
	{"air_friction", NULL},
	{"hook_length", NULL},
	{"hook_fire_speed", NULL},
	{"hook_drag_accel", NULL},
	{"hook_drag_speed", NULL},
	{"gravity", NULL},
	{"velramp_start", NULL},
	{"velramp_range", NULL},
	{"velramp_curvature", NULL},
	{"gun_curvature", NULL},
	{"gun_speed", NULL},
	{"gun_lifetime", NULL},
	{"shotgun_curvature", NULL},
	{"shotgun_speed", NULL},
	{"shotgun_speeddiff", NULL},
	{"shotgun_lifetime", NULL},
	{"grenade_curvature", NULL},
	{"grenade_speed", NULL},
	{"grenade_lifetime", NULL},
	{"laser_reach", NULL},
	{"laser_bounce_delay", NULL},
	{"laser_bounce_num", NULL},
	{"laser_bounce_cost", NULL},
	{"laser_damage", NULL},
	{"player_collision", NULL},
	{"player_hooking", NULL},
	{"jetpack_strength", NULL},
	{"shotgun_strength", NULL},
	{"explosion_strength", NULL},
	{"hammer_strength", NULL},
	{"hook_duration", NULL},
	{"hammer_fire_delay", NULL},
	{"gun_fire_delay", NULL},
	{"shotgun_fire_delay", NULL},
	{"grenade_fire_delay", NULL},
	{"laser_fire_delay", NULL},
	{"ninja_fire_delay", NULL},
	{"hammer_hit_fire_delay", NULL},
	{"ground_elasticity_x", NULL},
	{"ground_elasticity_y", NULL},
	{"ninja_duration", NULL},
	{"ninja_movetime", NULL},
	{"ninja_velocity", NULL},
	{0},
};

const struct tw_setting tw_map_bugs[] = {{"grenade-doubleexplosion@ddnet.tw", NULL}, {0}};

const struct tw_setting *tw_setting_named(const struct tw_setting *table, const char *word)
{
	for (; table->name; table++)
		if (strcasecmp(table->name, word) == 0)
			return table;
	return NULL;
}

/* How many letters have to be put in, left out, changed, or swapped with the next one. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][TW_SETTING_MAX + 2], *above = rows[0], *row = rows[1],
					      *two_above = rows[2];
	size_t n = strlen(b);

	for (size_t i = 0; i <= n; i++)
		row[i] = (unsigned)i;
	for (size_t y = 1; a[y - 1]; y++) {
		unsigned *oldest = two_above;

		two_above = above;
		above = row;
		row = oldest;
		row[0] = (unsigned)y;
		for (size_t x = 1; x <= n; x++) {
			unsigned changed = above[x - 1] + (a[y - 1] != b[x - 1]);
			unsigned least = above[x] < row[x - 1] ? above[x] + 1 : row[x - 1] + 1;

			row[x] = changed < least ? changed : least;
			if (y > 1 && x > 1 && a[y - 1] == b[x - 2] && a[y - 2] == b[x - 1] &&
				two_above[x - 2] + 1 < row[x])
				row[x] = two_above[x - 2] + 1;
		}
	}
	return row[n];
}

const char *tw_setting_like(const struct tw_setting *table, const char *word)
{
	unsigned least = (unsigned)strlen(word) / 3 + 1; /* as good as another word */
	const char *like = NULL;

	for (; table->name; table++) {
		unsigned d = distance(word, table->name);

		if (d < least) {
			least = d;
			like = table->name;
		}
	}
	return like;
}
