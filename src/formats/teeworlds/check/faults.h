/* SPDX-License-Identifier: Zlib */
/* faults: collect the faults of a map, or report those that an older version does not have. */
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
	TW_F_FILE,        /* in the tables of the file; a save corrects it */
	TW_F_GAME_DATA,   /* TW_F_DATA of the game layer */
	TW_F_GAME_UNUSED, /* TW_F_UNUSED of the game layer */
	TW_F_WARNED,      /* this code and those after it are warnings; the others are errors */
	TW_F_TILES_LARGE,
	TW_F_TILES_PACKED, /* a physics layer of version 4 */
	TW_F_DATA,         /* a data item that cannot be used */
	TW_F_DATA_EMPTY,   /* a data item of declared size 0 */
	TW_F_UNUSED,       /* an unused byte of tiles is not 0 */
	TW_F_IDS,          /* ids that are not 0, 1, 2, ...; the number is the type */
	TW_F_SETTINGS_END, /* settings without a NUL at the end */
	TW_F_IMAGE_SIZE,   /* an image with less pixels than its size has */
	TW_F_FILE_LENGTH,  /* size and swaplen of programs before 2010; a save corrects them */
};

/* The place of a fault. */
struct tw_place {
	enum { TW_AT_MAP, TW_AT_ITEM, TW_AT_INFO, TW_AT_DATA } at;
	uint32_t number; /* handle; index in tw_info_names; for the map, any number as a key */
	uint32_t blob;   /* TW_F_DATA, TW_F_DATA_EMPTY: handle of the data item; else 0 */
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

struct tw_faults {
	const struct tw_map *m;
	/* Reports a fault. NULL: faults are collected in `keys` instead. */
	void (*report)(void *arg, const struct format_fault *f);
	void *arg;
	/* Settled faults, which are not reported again and do not set `refused`; or NULL. */
	const struct tw_faults *before;
	struct tw_fault_key { /* also format_fault.record */
		enum tw_fault_code code;
		struct tw_place place;
		uint32_t sum; /* of a warning: CRC-32 of field and value; else 0 */
	} * keys;             /* in order, after tw_faults_settle */
	size_t n, room;
	bool refused;       /* an error was reported, not only warnings */
	bool out_of_memory; /* memory is exhausted */
};

/* Sort the keys, so that f can be another one's `before`. */
void tw_faults_settle(struct tw_faults *f);
void tw_faults_finish(struct tw_faults *f);

/* A short text as a value. tw_text(...).text is valid until the end of the full expression. */
struct tw_text {
	char text[96];
};
struct tw_text tw_text(const char *fmt, ...) PRINTF_LIKE(1, 2);
#define tw_digits(v) tw_text("%lld", (long long)(v))

/* Report a fault, or collect it if !f->why. fmt: its text; NULL means "FIELD is VALUE (BOUND)". */
void tw_fault_add(struct tw_faults *f, enum tw_fault_code code, struct tw_place place,
	const char *field, const char *value, const char *bound, const char *fmt, ...)
	PRINTF_LIKE(7, 8);

/* Report an item that has less than `least` integers. Has it less? */
bool tw_fault_short(struct tw_faults *f, enum tw_fault_code code, uint32_t handle, uint32_t least);

/* The groups and game layers of a map. A group whose range is invalid counts as empty. */
struct tw_grouped {
	uint32_t *home;             /* by position of a layer: its first group, from 1; 0: none */
	const struct tw_item *game; /* the last game layer, which a game uses; or NULL */
	uint32_t game_handle;
	unsigned n_games;
};

/*
 * Check a map (format_edit.check; refused.c). The rules are those of the newest game when it loads
 * a map (DDNet's engine/shared/datafile.cpp and map.cpp, game/editor/mapitems/map_io.cpp,
 * game/client/components/mapimages.cpp).
 */
int tw_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
/* Find faults in the tables of the map's file, which a save rewrites. */
void tw_check_file(struct tw_faults *f);
/* Find faults in the map's data. Skips data that is the same in other (may be NULL), if an item
 * with the same integers refers to it. */
void tw_check_data(struct tw_faults *f, const struct tw_grouped *g, const struct tw_map *other);
/* Find parts that a game warns of or does not use, such as images and groups. Only warnings. */
void tw_check_parts(struct tw_faults *f, const struct tw_grouped *g);
