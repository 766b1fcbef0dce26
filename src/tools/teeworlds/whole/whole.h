/* SPDX-License-Identifier: Zlib */
/*
 * whole: what tidy and convert have in common: parts that leave a map, what is told of its parts,
 * and images as a game has them.
 */
#pragma once

#include "formats/teeworlds/names/paths.h"
#include "tools/common/whole_calls.h"

struct tw_whole {
	const struct tw_map *from; /* as it was opened; handles are of all its versions */
	const struct whole_calls *calls;
	bool *gone;              /* by handle: objects that are to leave it */
	const char *const *keep; /* as in struct tidy */
	bool any;                /* something was said to be done */
};

/* calls: NULL where none will be made. -ENOMEM. */
int tw_whole_begin(struct tw_whole *w, const struct snapshot *s, const struct whole_calls *calls,
	struct error *e);
void tw_whole_end(struct tw_whole *w);
/* finish.c. The map to be saved: m, a version of `from`, without what is gone; unused bytes of
 * tiles, ids and tables that a game refuses are repaired. */
int tw_whole_finish(
	struct tw_whole *w, const struct tw_map *m, struct snapshot **ret, struct error *e);

void tw_whole_line(struct tw_whole *w, enum whole_said what, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* "VERB PATH: ..." of an item, or "PATH: ..." where the verb is "". */
void tw_whole_say(struct tw_whole *w, enum whole_said what, const char *verb, uint32_t item,
	const char *fmt, ...) PRINTF_LIKE(5, 6);

/* The item leaves the map, and that is said; unless it is to be kept. */
bool tw_whole_drop(struct tw_whole *w, uint32_t item, const char *why);

/* The file that the game has under an image's name and `suffix`. -ENOENT, or what reading gave. */
int tw_whole_image(const struct tw_whole *w, uint32_t position, struct images *games,
	const char *suffix, struct extent *ret, struct error *e);
