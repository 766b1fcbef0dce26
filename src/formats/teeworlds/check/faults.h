/* SPDX-License-Identifier: Zlib */
/* faults: check a map (tw_check): collect its faults, or report those that an older one lacks. */
#pragma once

#include "formats/teeworlds/names/paths.h"

/* The kinds of faults: errors, for which a game refuses the map, then warnings. Faults of one code
 * at the same place are the same fault; for warnings, only if field and value are the same, too. */
enum tw_fault_code {
	TW_F_NO_VERSION,  /* the map has no version item of value 1 */
	TW_F_NO_GAME,     /* no group has a game layer */
	TW_F_DOUBLE_ID,   /* items of a type have the same id */
	TW_F_GROUP_SHORT, /* an item has too few integers; so TW_F_LAYER_SHORT and _TILES_SHORT */
	TW_F_GROUP_RANGE, /* a group has layers that the map lacks */
	TW_F_LAYER_TWICE, /* a layer is in several groups */
	TW_F_LAYER_SHORT,
	TW_F_TILES_SHORT,   /* this and the other _TILES codes: of a tile layer */
	TW_F_TILES_VERSION, /* not 2 to 4 */
	TW_F_TILES_KIND,    /* several kinds in one layer */
	TW_F_TILES_SIDE,    /* width or height is less than 2 */
	TW_F_TILES_COUNT,   /* more tiles than a data item can hold */
	TW_F_TILES_NAME,    /* not UTF-8 */
	TW_F_TILES_COLOR,   /* a component is not 0 to 255 */
	TW_F_TILES_NO_DATA, /* there is no such blob */
	TW_F_TILES_SHARED,  /* another layer has the same blob */
	TW_F_TILES_SMALL,   /* a physics layer has fewer tiles than the game layer */
	TW_F_TILES_GROUP,   /* the group of a physics layer has no game layer */
	TW_F_FILE,          /* in the tables of the file; a save corrects it */
	TW_F_GAME_DATA,     /* TW_F_DATA of the game layer */
	TW_F_GAME_UNUSED,   /* TW_F_UNUSED of the game layer */
	TW_F_WARNED,        /* any other warning; only codes before this one are errors */
	TW_F_TILES_LARGE,   /* it has enough tiles, but another size than the game layer */
	TW_F_TILES_PACKED,  /* a physics layer of version 4 */
	TW_F_DATA,          /* a data item that cannot be used */
	TW_F_DATA_EMPTY,    /* a data item of declared size 0 */
	TW_F_UNUSED,        /* an unused byte of tiles is not 0 */
	TW_F_IDS,           /* ids that are not 0, 1, 2, ...; the number is the type */
	TW_F_SETTINGS_END,  /* settings without a NUL at the end */
	TW_F_IMAGE_SIZE,    /* an image with fewer pixels than its size has */
	TW_F_FILE_LENGTH,   /* size and swaplen of programs before 2010; a save corrects them */
};

/* The place of a fault: the map; an item; a file in info/; a data item to which no item refers.
 * number: handle of the item or data item; index in tw_info_names (names/paths.h); in the map any
 * number that tells equal codes apart. */
struct tw_place {
	enum { TW_AT_MAP, TW_AT_ITEM, TW_AT_INFO, TW_AT_DATA } at;
	uint32_t number;
	uint32_t blob; /* TW_F_DATA, TW_F_DATA_EMPTY: handle of the data item; else 0 */
};

static inline struct tw_place tw_in_map(void)
{
	return (struct tw_place){.at = TW_AT_MAP};
}

static inline struct tw_place tw_in_info(uint32_t file)
{
	return (struct tw_place){.at = TW_AT_INFO, .number = file};
}

static inline struct tw_place tw_in_item(uint32_t handle)
{
	return (struct tw_place){.at = TW_AT_ITEM, .number = handle};
}

/* The caller sets the members down to `before`, which are borrowed, and zeroes the others. */
struct tw_faults {
	const struct tw_map *m;
	/* Called for each fault, by tw_fault_add. NULL: faults are collected in `keys` instead. */
	void (*report)(void *arg, const struct format_fault *f);
	void *arg;
	/* Settled faults, which are not reported again and do not set `refused`; or NULL. */
	const struct tw_faults *before;
	struct tw_fault_key { /* also format_fault.record */
		enum tw_fault_code code;
		struct tw_place place;
		uint32_t sum; /* of a warning: CRC-32 of field and value; else 0 */
	} * keys;             /* sorted by tw_faults_settle */
	size_t n, room;
	bool refused;       /* an error was reported, not only warnings; not set if collecting */
	bool out_of_memory; /* a fault may be missing, because memory was exhausted */
};

/* Sort the keys of collected faults, so that f can be another one's `before`. */
void tw_faults_settle(struct tw_faults *f);
void tw_faults_finish(struct tw_faults *f); /* frees the keys */

/* A short text as a value. tw_text(...).text is valid until the end of the full expression. */
struct tw_text {
	char text[96];
};
struct tw_text tw_text(const char *fmt, ...) PRINTF_LIKE(1, 2);
#define tw_digits(v) tw_text("%lld", (long long)(v))

/* Report or collect a fault (struct tw_faults). field, value and bound are not NULL; "": none. fmt:
 * its text without the path; NULL: "FIELD is VALUE (BOUND)". */
void tw_fault_add(struct tw_faults *f, enum tw_fault_code code, struct tw_place place,
	const char *field, const char *value, const char *bound, const char *fmt, ...)
	PRINTF_LIKE(7, 8);

/* If an item has less than `least` integers, add a fault and return true. */
bool tw_fault_short(struct tw_faults *f, enum tw_fault_code code, uint32_t handle, uint32_t least);

/* The groups and game layers of a map; tw_check frees it. A group of an invalid range is empty. */
struct tw_grouped {
	uint32_t *home;             /* by position of a layer: its first group, from 1; 0: none */
	const struct tw_item *game; /* the last game layer in a group, which a game uses; or NULL */
	uint32_t game_handle;       /* valid if game is not NULL */
	unsigned n_games;           /* game layers in groups */
};

/* Report the faults of a map (format_edit.check; refused.c): those that `before` lacks or, if it is
 * NULL, all, also of its file. The rules are those of the newest game when it loads a map (DDNet's
 * engine/shared/datafile.cpp and map.cpp, game/editor/mapitems/map_io.cpp,
 * game/client/components/mapimages.cpp). -EINVAL: one is an error. -ENOMEM: some may be missing. */
int tw_check(const struct snapshot *before, const struct snapshot *s,
	void (*report)(void *arg, const struct format_fault *f), void *arg, struct error *e);
/* Find faults in the tables of the map's file, which a save rewrites. Unreadable: finds none. */
void tw_check_file(struct tw_faults *f);
/* Find faults in the map's data. Skips a blob that other (may be NULL) has under the same handle,
 * if the first item that refers to it has the same integers there, or no item refers to it. */
void tw_check_data(struct tw_faults *f, const struct tw_grouped *g, const struct tw_map *other);
/* Find parts of a typed map that a game warns of or does not use, such as images. Only warnings. */
void tw_check_parts(struct tw_faults *f, const struct tw_grouped *g);
