/* SPDX-License-Identifier: Zlib */
/*
 * The settings of DDNet 16.4 and 19, so that maps for either pass. Variables are those with
 * CFGFLAG_GAME in engine/shared/config_variables.h, commands those that
 * game/server/gamecontext.cpp registers with it. Tunings: game/tuning.h; bugs: game/mapbugs.cpp.
 */
#include <string.h>
#include <strings.h>

#include "tools/teeworlds/rules/settings.h"

/* sv_no_weak_hook_and_bounce is the name of sv_no_weak_hook in 16.4. */
const char *const tw_settings[] = {"sv_deepfly", "sv_destroy_bullets_on_death",
	"sv_destroy_lasers_on_death", "sv_dragger_range", "sv_endless_drag", "sv_freeze_delay",
	"sv_hit", "sv_max_team_size", "sv_min_team_size", "sv_no_weak_hook",
	"sv_no_weak_hook_and_bounce", "sv_old_laser", "sv_old_teleport_hook",
	"sv_old_teleport_weapons", "sv_pauseable", "sv_plasma_per_sec", "sv_plasma_range",
	"sv_reset_pickups", "sv_save_worse_scores", "sv_show_others_default", "sv_solo_server",
	"sv_team", "sv_teleport_hold_hook", "sv_teleport_lose_weapons", "mapbug b", "switch_open s",
	"toggle_tune tnn", "tune t?n", "tune_zone ztn", "tune_zone_enter zr", "tune_zone_leave zr",
	NULL};

const char *const tw_tunings[] = {"ground_control_speed", "ground_control_accel", "ground_friction",
	"ground_jump_impulse", "air_jump_impulse", "air_control_speed", "air_control_accel",
	"air_friction", "hook_length", "hook_fire_speed", "hook_drag_accel", "hook_drag_speed",
	"gravity", "velramp_start", "velramp_range", "velramp_curvature", "gun_curvature",
	"gun_speed", "gun_lifetime", "shotgun_curvature", "shotgun_speed", "shotgun_speeddiff",
	"shotgun_lifetime", "grenade_curvature", "grenade_speed", "grenade_lifetime", "laser_reach",
	"laser_bounce_delay", "laser_bounce_num", "laser_bounce_cost", "laser_damage",
	"player_collision", "player_hooking", "jetpack_strength", "shotgun_strength",
	"explosion_strength", "hammer_strength", "hook_duration", "hammer_fire_delay",
	"gun_fire_delay", "shotgun_fire_delay", "grenade_fire_delay", "laser_fire_delay",
	"ninja_fire_delay", "hammer_hit_fire_delay", "ground_elasticity_x", "ground_elasticity_y",
	"ninja_duration", "ninja_movetime", "ninja_velocity", NULL};

const char *const tw_map_bugs[] = {"grenade-doubleexplosion@ddnet.tw", NULL};

enum { LIKE_MAX = 48 /* bytes of a word; longer words are similar to none */ };

static size_t name_length(const char *entry)
{
	return strcspn(entry, " ");
}

const char *tw_known_find(const char *const *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list; list++)
		if (name_length(*list) == n && strncasecmp(*list, word, n) == 0)
			return *list + n + ((*list)[n] == ' ');
	return NULL;
}

static unsigned least_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool is_same_letter(char a, char b)
{
	return strncasecmp(&a, &b, 1) == 0;
}

/* The edit distance without regard to case: letters inserted, deleted, changed, or swapped with the
 * next one. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned d[LIKE_MAX + 1][LIKE_MAX + 1];

	for (unsigned y = 0; y <= n; y++) {
		for (unsigned x = 0; x <= m; x++) {
			d[y][x] = x + y;
			if (!x || !y)
				continue;
			d[y][x] = least_of(least_of(d[y - 1][x], d[y][x - 1]) + 1,
				d[y - 1][x - 1] + !is_same_letter(a[y - 1], b[x - 1]));
			if (x > 1 && y > 1 && is_same_letter(a[y - 1], b[x - 2]) &&
				is_same_letter(a[y - 2], b[x - 1]))
				d[y][x] = least_of(d[y][x], d[y - 2][x - 2] + 1);
		}
	}
	return d[n][m];
}

int tw_known_find_similar(const char *const *list, const char *word, const char **ret)
{
	size_t n = strlen(word),
	       least = n / 3 + 1; /* from this distance on a word is not similar */

	for (*ret = NULL; n <= LIKE_MAX && *list; list++) {
		unsigned d = distance(word, n, *list, name_length(*list));

		if (d < least) {
			least = d;
			*ret = *list;
		}
	}
	return *ret ? (int)name_length(*ret) : 0;
}

int tw_known_find_meant(const char *const *list, const char *word, const char **ret)
{
	size_t n = strlen(word), n_close = 0;

	for (*ret = NULL; n <= LIKE_MAX && *list; list++) {
		if (distance(word, n, *list, name_length(*list)) != 1)
			continue;
		*ret = *list;
		n_close++;
	}
	return n_close == 1 ? (int)name_length(*ret) : 0;
}
