/* SPDX-License-Identifier: Zlib */
/*
 * settle: the map to be written, derived from the mounted one and from where its objects stand.
 *
 * Handles stay: an item or blob of the settled map has the handle that it has in the mounted one,
 * and what settling adds comes after them. So what was written can be told apart by handles
 * afterwards (rebase), and faults that a map had before are found again (check.h).
 */
#ifndef FORMATS_TEEWORLDS_SETTLE_H
#define FORMATS_TEEWORLDS_SETTLE_H

#include "formats/teeworlds/roster.h"

struct settling {
	const struct tw_map *from; /* the mounted map, as it is now */
	struct tw_map *to;         /* a copy, to be changed */
	struct tw_roster rosters[TW_N_NAMED];
	int32_t *moved[TW_N_NAMED]; /* where each object of `from` went, by position; -1: it is gone */
	void (*say)(void *arg, const char *line);
	void *arg;
};

/* settle_names.c: the name of the seat's path into its item. */
int settle_name(struct settling *s, const struct tw_seat *seat, struct error *e);

/* settle_refs.c: references follow, where objects moved. */
int settle_refs(struct settling *s, struct error *e);

/* settle_say.c: lines for the report */
void settle_say(struct settling *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The path that an object had in the mount: "images/03_grass.png". dst has room for
 * SETTLE_PATH_MAX bytes. Layers are in no group but the first that has them. */
enum { SETTLE_PATH_MAX = 4 * NAME_MAX };
void settle_path(
	const struct settling *s, enum tw_named what, uint32_t position, char dst[SETTLE_PATH_MAX]);

#endif
