/* SPDX-License-Identifier: Zlib */
/*
 * convert: maps of one game as another game loads and shows them. A format whose maps are those of
 * several games has a struct convert_tool.
 */
#pragma once

#include "tools/common/whole_calls.h"
#include "tools/tools.h"

struct convert_game {
	const char *name; /* "0.7" */
	unsigned images;  /* whose images it has: a game as in preview.h */
};

enum { CONVERT_GAMES_MAX = 3 };

struct convert {
	size_t to;  /* a place in `games` */
	bool scale; /* images of a size that the game does not take get the next one that it takes
		     */
	bool strip; /* what the game ignores is left out */
	struct images *images[CONVERT_GAMES_MAX]; /* of each game */
};

struct convert_tool {
	const struct convert_game *games; /* ended by one without a name */
	/* Both on any thread. *ret = NULL: nothing is to be done. -EINVAL: refused; each reason was
	 * said. */
	int (*convert)(const struct snapshot *s, const struct convert *how,
		const struct whole_calls *calls, struct snapshot **ret, struct error *e);
	/* What that game does not load or show, all of it as warnings. */
	int (*check)(const struct snapshot *s, size_t game,
		void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
};

/* The toolset that has a game of that name, and its place there. -ENOENT names those that there
 * are.
 */
int convert_find(const char *name, const struct toolset **ret, size_t *ret_game, struct error *e);
