/* SPDX-License-Identifier: Zlib */
/* house: house rules: the requirements of one community for its maps, read from a JSON file
 * (docs/mapfs-check.1 describes it). */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/text/json.h"

enum { TW_HOUSE_INFO = 4 /* author, version, credits, license */ };

struct tw_house {
	struct tw_house *next; /* for the user of several house rules; not freed */
	int64_t size;          /* maximal size of the map's file in bytes; 0: any */
	struct tw_house_tiles {
		uint8_t id, layers; /* layers: set of 1 << enum tw_played */
		uint32_t min, max;  /* bounds of their number in these layers; UINT32_MAX: none */
	} * tiles;
	size_t n_tiles, room_tiles;
	struct tw_house_info {
		const char *pattern; /* that a part of the text must match; NULL: any text */
		regex_t regex;
	} info[TW_HOUSE_INFO];
	bool has_allow; /* only settings in `allow` are allowed */
	const char **allow;
	size_t n_allow, room_allow;
	struct json_doc doc; /* owns the texts */
};

/* Read house rules. The text of -EINVAL is like "line 3, column 8: tiles[0].id is 300 (1 to 255)".
 */
int tw_house_read(const struct extent *in, struct tw_house **ret, struct error *e);
void tw_house_free(struct tw_house *h);
DEFINE_CLEANUP(struct tw_house, tw_house_free);

/* Is the name of a setting in `allow`? Ignores case. False if there is no `allow`. */
bool tw_house_allows(const struct tw_house *h, const char *word);
