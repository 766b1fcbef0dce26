/* SPDX-License-Identifier: Zlib */
/*
 * rules: the language of DDNet's automatic mapping (editor/auto_map.cpp), read from an untrusted
 * `.rules` file.
 *
 * The editor accepts any text and skips what it does not know. The parser does the same, but also
 * reports a fault. Its time and memory are proportional to the length of the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

enum { TW_RULES_MOST = 1 << 20 /* bytes of a file; the game's largest has 50000 */ };

/* Flags that turn or mirror a tile. Flag 4 (opaque) belongs to the renderer. */
enum { TW_TURNS = 1 | 2 | 8, TW_N_TURNS = 8, TW_OUTSIDE = 256 };
static inline unsigned tw_turn(uint8_t flags)
{
	return (flags & 3U) | (flags & 8U) >> 1;
}

/* The tiles that a rule accepts at a place relative to the drawn tile. */
struct tw_rule_place {
	int32_t dx, dy;
	/* By tile index, or TW_OUTSIDE for a place outside of the layer: a set of turns, with bit
	 * tw_turn(flags) for each. Only bit 0 counts for TW_OUTSIDE. */
	uint8_t accepted[TW_OUTSIDE + 1];
};

/* True where (x + ox) mod mx and (y + oy) mod my are 0. Neither mx nor my is 0. */
struct tw_rule_modulo {
	int32_t mx, my, ox, oy;
};

/* Draws a tile where all places hold, one of the moduli (if any) is true, and chance allows it. */
struct tw_rule {
	uint8_t index, flags;         /* the tile to draw */
	float probability;            /* 1 and more: always */
	uint8_t own[TW_OUTSIDE];      /* as tw_rule_place.accepted, for the drawn tile itself */
	struct tw_rule_place *places; /* all other places, each once */
	size_t n_places, room_places;
	struct tw_rule_modulo *moduli;
	size_t n_moduli, room_moduli;
};

struct tw_rules_run {
	struct tw_rule *rules;
	size_t n, room;
	bool live; /* it reads the layer while drawing, not a copy from before the run */
};

struct tw_rules_config {
	char *name;
	unsigned line;
	struct tw_rules_run *runs;
	size_t n, room;
};

struct tw_rules {
	struct tw_rules_config *configs;
	size_t n, room;
};

/* Receives "line 3: what is wrong", in order, except faults of a whole rule, which follow its last
 * line, and duplicate configurations, which come at the end. */
typedef void (*tw_rules_fault)(void *arg, const char *text);

/* Parse n bytes of rules. fault may be NULL. -EFBIG, -ENOMEM. */
int tw_rules_read(const char *text, size_t n, tw_rules_fault fault, void *arg,
	struct tw_rules **ret, struct error *e);
void tw_rules_destroy(struct tw_rules *r);
DEFINE_CLEANUP(struct tw_rules, tw_rules_destroy);

struct tw_auto_tile {
	uint8_t index, flags;
};

struct tw_auto_grid {
	uint32_t w, h;
	struct tw_auto_tile *tiles; /* row by row */
	bool lacks_flags;           /* the layer has no flags: drop those of drawn tiles */
};

enum { TW_REFERENCE_WHOLE = -1 };

/* Makes the first run read the game layer instead of the layer that it draws. */
struct tw_auto_reference {
	const struct tw_auto_grid *game; /* of any size: outside of it there are no tiles */
	/* The only index to read (others are 0), or TW_REFERENCE_WHOLE. A live run reads all. */
	int only;
};

/* run.c: The largest number of tiles that tw_rules_run reads for a layer of that size, and of
 * moduli that it computes. UINT64_MAX if there are more. */
uint64_t tw_rules_work(const struct tw_rules_config *config, uint32_t w, uint32_t h);

/* run.c: Draw a layer by a configuration. Any seed, also 0. reference may be NULL; where its game
 * layer has no tile, the first run removes that of the layer. -ENOMEM: some runs may be drawn. */
int tw_rules_run(const struct tw_rules_config *config, uint32_t seed,
	const struct tw_auto_reference *reference, const struct tw_auto_grid *layer);
