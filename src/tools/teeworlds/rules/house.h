/* SPDX-License-Identifier: Zlib */
/*
 * house: what one house asks of its maps, as it wrote it in a JSON file (docs/mapfs-check.1 has its
 * form).
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/text/json.h"

enum { TW_HOUSE_INFO = 4 /* author, version, credits, license */ };

struct tw_house {
	struct tw_house *next; /* for who has several */
	int64_t size;          /* bytes of the map's file at most; 0: any */
	struct tw_house_tiles {
		uint8_t id, layers; /* 1 << enum tw_played of each that counts */
		uint32_t min, max;  /* tiles in all of them */
	} * tiles;
	size_t n_tiles, room_tiles;
	struct tw_house_info {
		const char *pattern; /* NULL: any text will do */
		regex_t regex;
	} info[TW_HOUSE_INFO];
	bool limits; /* no settings but these */
	const char **allow;
	size_t n_allow, room_allow;
	struct json_doc doc; /* all texts stand in it */
};

/* -EINVAL: "line 3, column 8: tiles[0].id is 300 (0 to 255)". */
int tw_house_read(const struct extent *in, struct tw_house **ret, struct error *e);
void tw_house_free(struct tw_house *h);
DEFINE_CLEANUP(struct tw_house, tw_house_free);

/* Does it list the setting? */
bool tw_house_allows(const struct tw_house *h, const char *word);
