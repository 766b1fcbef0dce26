/* SPDX-License-Identifier: Zlib */
/*
 * fix: struct fix_tool of Teeworlds and DDNet maps. fix.c has the table of faults and their
 * repairs. A repair changes nothing that a game shows or plays, except that parts come back which
 * the game drops because of the fault.
 */
#pragma once

#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/model/change.h"
#include "tools/fix/fix.h"

extern const struct fix_tool tw_fix;

struct tw_fixing {
	const struct tw_map *m;   /* the map with the faults */
	struct tw_change *change; /* collects the repairs; -ENOMEM stays in it */
	fix_say say;
	void *arg;
	bool is_check;        /* the repairs will be dropped */
	bool is_final;        /* m is the result of last repairs: no fault can be repaired */
	bool is_last;         /* make the last repairs (that finalize), and no others */
	bool any, any_last;   /* a fault is fixable by an earlier repair; by a last one */
	int64_t shared_layer; /* fix.c: position in m of a layer in two groups, to copy; or -1 */
	char done[160];       /* what the last repair did */
};

/* done.c: Set k->done. Returns true. */
bool fixing_done(struct tw_fixing *k, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Keep -ENOMEM in k->change; other errors of a repair mean that there is none. Returns false. */
bool fixing_failed(struct tw_fixing *k, int r);

/*
 * A repair of the fault at a place. It reads k->m, or the map with the changes so far, adds to
 * k->change, and sets k->done. Returns false if there is no repair, or more than one: then it
 * changed nothing.
 */
typedef bool (*fixing_repair)(struct tw_fixing *k, const struct tw_place *at);

/* tiles.c: Set unused bytes of tiles to 0. */
bool fix_unused(struct tw_fixing *k, const struct tw_place *at);
/* tiles.c: Give a tile layer a version that games read. Unpacks a physics layer of version 4. */
bool fix_version(struct tw_fixing *k, const struct tw_place *at);

/* parts.c: Declare the length that the stream of a data item has. */
bool fix_data(struct tw_fixing *k, const struct tw_place *at);
/* parts.c: Declare the length of the stream instead of 0. An empty stream becomes one NUL. */
bool fix_empty_data(struct tw_fixing *k, const struct tw_place *at);
/* parts.c: Make the ids of a type differ; make them 0, 1, 2, ... */
bool fix_double_id(struct tw_fixing *k, const struct tw_place *at);
bool fix_ids(struct tw_fixing *k, const struct tw_place *at);
/* parts.c: Give a group without layers a valid range. */
bool fix_group(struct tw_fixing *k, const struct tw_place *at);
/* parts.c: Give an image the only size that its pixels fit. */
bool fix_image_size(struct tw_fixing *k, const struct tw_place *at);
/* parts.c: End the settings with a NUL. */
bool fix_settings_end(struct tw_fixing *k, const struct tw_place *at);

/* settings.c: Find misspelt settings, repair them, and call k->say for each. */
void fix_settings(struct tw_fixing *k);
