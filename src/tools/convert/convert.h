/* SPDX-License-Identifier: Zlib */
/*
 * convert: change a map of one game so that another game loads it and shows it correctly. A format
 * that several games use has a struct convert_tool.
 */
#pragma once

#include "tools/common/whole_calls.h"
#include "tools/tools.h"

struct convert_game {
	const char *name; /* "0.7" */
	unsigned images; /* whose images it has: 1 is the first game in format_preview.image_dirs */
};

enum { CONVERT_GAMES_MAX = 3 };

struct convert {
	size_t to;  /* index of the target in convert_tool.games */
	bool scale; /* enlarge images to the next size that the game accepts */
	bool strip; /* remove parts that the game ignores */
	struct images *images[CONVERT_GAMES_MAX]; /* of each game in convert_tool.games; not NULL */
};

struct convert_tool {
	const struct convert_game *games; /* the last has no name */
	/* Convert a map. Any thread. *ret is NULL if nothing is to be done.
	 * -EINVAL: the map is refused; calls->say, or else e, has the reasons. */
	int (*convert)(const struct snapshot *s, const struct convert *how,
		const struct whole_calls *calls, struct snapshot **ret, struct error *e);
	/* Report each part of a map that a game does not load or show, as a warning. Any thread. */
	int (*check)(const struct snapshot *s, size_t game,
		void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
};

/* Find a game by its name: its toolset, and its index in convert_tool.games. -ENOENT. */
int convert_find(const char *name, const struct toolset **ret, size_t *ret_game, struct error *e);
