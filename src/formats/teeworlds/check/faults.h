/* SPDX-License-Identifier: Zlib */
/* faults: what is found to be wrong with a map, on its way to whoever asked. */
#pragma once

#include "formats/teeworlds/names/paths.h"

/* The kinds of faults: errors, for which a game refuses the map, and warnings. Two errors of one
 * code at the same place are the same fault. Two warnings are the same fault if they also have the
 * same field and value. */
enum tw_fault_code {
	TW_F_NO_VERSION,
	TW_F_NO_GAME,
	TW_F_DOUBLE_ID,
	TW_F_GROUP_SHORT,
	TW_F_GROUP_RANGE,
	TW_F_LAYER_TWICE,
	TW_F_LAYER_SHORT,
	TW_F_TILES_SHORT,
	TW_F_TILES_VERSION,
	TW_F_TILES_KIND,
	TW_F_TILES_SIDE,
	TW_F_TILES_COUNT,
	TW_F_TILES_NAME,
	TW_F_TILES_COLOR,
	TW_F_TILES_NO_DATA,
	TW_F_TILES_SHARED,
	TW_F_TILES_SMALL,
	TW_F_TILES_GROUP,
	TW_F_FILE, /* of the file as it stands: a save puts it right */
	TW_F_GAME_DATA,
	TW_F_WARNED, /* a game takes the map; this, and those that follow */
	TW_F_TILES_LARGE,
};

/* Where: of the map as a whole, of an item by its handle, of a data item by its own. */
struct tw_place {
	enum { TW_AT_MAP, TW_AT_ITEM, TW_AT_INFO, TW_AT_DATA } at;
	uint32_t what; /* of info: which of its files */
};

static inline struct tw_place tw_in_map(void)
{
	return (struct tw_place){.at = TW_AT_MAP};
}

/* A group, a layer, an image, a sound or an envelope. */
static inline struct tw_place tw_in_item(uint32_t handle)
{
	return (struct tw_place){TW_AT_ITEM, handle};
}

struct tw_faults {
	const struct tw_map *m;
	/* NULL: faults are not reported, and `keys` holds them for use as another one's `before`.
	 */
	void (*why)(void *arg, const struct format_fault *f);
	void *arg;
	/* Settled; or NULL. A fault that it has, too, is not reported and does not set `refused`.
	 */
	const struct tw_faults *before;
	struct tw_fault_key {
		enum tw_fault_code code;
		struct tw_place place;
		uint32_t sum; /* of a warning: CRC-32 of field and value; else 0 */
	} * keys;             /* in order, after tw_faults_settle */
	size_t n, room;
	bool refused; /* an error was reported, not only warnings */
	bool failed;  /* no memory */
};

void tw_faults_settle(struct tw_faults *f);
void tw_faults_finish(struct tw_faults *f);

/* A text that stands until the end of the statement, and a number as one. */
struct tw_text {
	char text[96];
};
struct tw_text tw_text(const char *fmt, ...) PRINTF_LIKE(1, 2);
#define tw_digits(v) tw_text("%lld", (long long)(v))

/* fmt: all of it but the path; NULL: "FIELD is VALUE (BOUND)". */
void tw_fault(struct tw_faults *f, enum tw_fault_code code, struct tw_place place,
	const char *field, const char *value, const char *bound, const char *fmt, ...)
	PRINTF_LIKE(7, 8);

/* "has N integers (at least LEAST)", of an item. true: it has fewer. */
bool tw_fault_short(struct tw_faults *f, enum tw_fault_code code, uint32_t handle, uint32_t least);

/* What a look at all groups finds; one that is out of range has no layers. */
struct tw_grouped {
	uint32_t *home;             /* of a layer, by position: its first group, from 1; 0: none */
	const struct tw_item *game; /* the last game layer, which counts; NULL: there is none */
	uint32_t game_handle;
	unsigned n_games;
};

/*
 * refused.c: struct format_edit's check: what is wrong with a map, by what the newest game does
 * with it on loading (DDNet's engine/shared/datafile.cpp and map.cpp,
 * game/editor/mapitems/map_io.cpp, game/client/components/mapimages.cpp).
 */
int tw_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
/* Find faults of the tables of the map's file, which a save rewrites. */
void tw_check_file(struct tw_faults *f);
/* Find faults of the map's data. Data that `other` has unchanged, named by an item with the same
 * integers, is not decoded, and no fault of it is found. other: may be NULL. */
void tw_check_data(struct tw_faults *f, const struct tw_grouped *g, const struct tw_map *other);
/* Find what a game takes, but warns of or does not use: in images, sounds, envelopes, groups,
 * layers. */
void tw_check_parts(struct tw_faults *f, const struct tw_grouped *g);
