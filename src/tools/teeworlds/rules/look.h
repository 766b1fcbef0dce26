/* SPDX-License-Identifier: Zlib */
/*
 * look: the input of a rule: an immutable map, its counted tiles, and the receiver of warnings. A
 * rule is a function that depends on nothing else. Each is called once for a map.
 */
#pragma once

#include "formats/teeworlds/check/faults.h"
#include "tools/rules/rules.h"
#include "tools/teeworlds/rules/house.h"
#include "tools/teeworlds/rules/physics.h"

extern const struct rules_tool tw_rules;

struct tw_look {
	const struct tw_map *m;
	struct tw_faults *faults; /* receives warnings; out_of_memory if memory is exhausted */
	const struct tw_physics *physics;
	const struct tw_house *houses; /* list of house rules (tw_house.next), or NULL */
};

typedef void (*tw_rule)(const struct tw_look *look);

/* Does the map have a game layer, and could all tiles be read? If not, report no missing tiles. */
bool tw_look_is_complete(const struct tw_look *look);

/* Report a warning. place: tw_in_item(handle), tw_in_info(file) or tw_in_map(). field, value and
 * bound: as in format_fault, or "". Then text after the path. */
#define tw_warn(look, place, field, value, bound, ...)                                             \
	tw_fault_add((look)->faults, TW_F_WARNED, place, field, value, bound, __VA_ARGS__)
/* Report a warning about the tiles of a spot, unless it has none: "x 202, y 13 and 3 more: ...". */
void tw_warn_at(const struct tw_look *look, const struct tw_played_layer *l, struct tw_spot spot,
	const char *field, const char *value, const char *bound, const char *fmt, ...)
	PRINTF_LIKE(7, 8);

/* tiles.c */
void tw_rule_race(const struct tw_look *look);  /* no spawn, start, finish or time checkpoint */
void tw_rule_tiles(const struct tw_look *look); /* unknown to DDNet, or turned without effect */
/* through.c */
void tw_rule_through(const struct tw_look *look); /* hook-through over nothing solid */
/* numbers.c */
void tw_rule_tele(const struct tw_look *look);  /* teleporters without a counterpart */
void tw_rule_doors(const struct tw_look *look); /* doors without a switch */
void tw_rule_zeros(const struct tw_look *look); /* without effect: 0, speedup on the first tile */
/* settings.c */
void tw_rule_settings(const struct tw_look *look); /* not accepted by servers, or too long */
/* parts.c */
void tw_rule_info(const struct tw_look *look);   /* author, license */
void tw_rule_unused(const struct tw_look *look); /* images, sounds, envelopes */
void tw_rule_layers(const struct tw_look *look); /* empty, too large; look of physics layers */
/* images.c */
void tw_rule_images(const struct tw_look *look); /* duplicate, in the game as well, too large */

/* house.c: Check a map against one set of house rules. */
void tw_rule_house(const struct tw_look *look, const struct tw_house *h);
