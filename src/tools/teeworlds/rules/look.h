/* SPDX-License-Identifier: Zlib */
/*
 * look: what a rule is given: a map that never changes, what was counted in it, and where to say
 * what is not as it should be. A rule is a function of that alone, and each is called once a map.
 */
#pragma once

#include "formats/teeworlds/check/faults.h"
#include "tools/rules/rules.h"
#include "tools/teeworlds/rules/house.h"
#include "tools/teeworlds/rules/physics.h"

extern const struct rules_tool tw_rules;

struct tw_look {
	const struct tw_map *m;
	struct tw_faults *f; /* with all, what goes wrong for want of memory */
	const struct tw_physics *physics;
	const struct tw_house *houses; /* the first of them, or NULL */
};

typedef void (*tw_rule)(const struct tw_look *look);

/* The game layer is there and all tiles could be read, so that what is not there is lacking. */
bool tw_look_at_all(const struct tw_look *look);

/* A warning; fmt: all of it but the path. */
#define tw_warn(look, place, field, value, bound, ...)                                             \
	tw_fault((look)->f, TW_F_WARNED, place, field, value, bound, __VA_ARGS__)
/* One of tiles, if there are any, at the first of them: "x 202, y 13 and 3 more: ...". */
void tw_warn_at(const struct tw_look *look, const struct tw_played_layer *l, struct tw_spot spot,
	const char *field, const char *value, const char *bound, const char *fmt, ...)
	PRINTF_LIKE(7, 8);

/* tiles.c */
void tw_rule_race(const struct tw_look *look);  /* spawn, start, finish, time checkpoints */
void tw_rule_tiles(const struct tw_look *look); /* such as no DDNet knows, or turned to no end */
/* through.c */
void tw_rule_through(const struct tw_look *look); /* hook-through over nothing solid */
/* numbers.c */
void tw_rule_tele(const struct tw_look *look);
void tw_rule_doors(const struct tw_look *look);
void tw_rule_zeros(const struct tw_look *look); /* numbers and forces of 0 */
/* settings.c */
void tw_rule_settings(const struct tw_look *look);
/* parts.c */
void tw_rule_info(const struct tw_look *look);   /* author, licence */
void tw_rule_unused(const struct tw_look *look); /* images, sounds, envelopes */
void tw_rule_layers(const struct tw_look *look); /* empty, larger than their content */
/* images.c */
void tw_rule_images(const struct tw_look *look); /* twice, the game's own, too large */

/* house.c: what one house asks. */
void tw_rule_house(const struct tw_look *look, const struct tw_house *h);
