/* SPDX-License-Identifier: Zlib */
/*
 * rules: the language of DDNet's automatic mapping (editor/auto_map.cpp), read from a `.rules` file
 * of anybody's.
 *
 * The editor takes any text: what it does not know it passes over. So does this, and tells it. Time
 * and memory follow the length of the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

enum { TW_RULES_MOST = 1 << 20 /* bytes of a file; the game's largest has 50000 */ };

/* A tile's flags that turn it; the fourth one is the renderer's own. */
enum { TW_TURNS = 1 | 2 | 8, TW_N_TURNS = 8, TW_OUTSIDE = 256 };
static inline unsigned tw_turn(uint8_t flags)
{
	return (flags & 3U) | (flags & 8U) >> 1;
}

/* Which tiles may be at a place: bit tw_turn of an index, or of TW_OUTSIDE, which is not turned. */
struct tw_rule_place {
	int32_t dx, dy;
	uint8_t may[TW_OUTSIDE + 1];
};

/* Where (x + ox) mod mx and (y + oy) mod my are 0; no mx or my is 0. */
struct tw_rule_modulo {
	int32_t mx, my, ox, oy;
};

/* What is put where all places hold, one of the moduli does if there are any, and chance has it. */
struct tw_rule {
	uint8_t index, flags;
	float probability; /* 1 and more: always */
	uint8_t own[TW_OUTSIDE];
	struct tw_rule_place *places; /* other than its own, each once */
	size_t n_places, room_places;
	struct tw_rule_modulo *moduli;
	size_t n_moduli, room_moduli;
};

struct tw_rules_run {
	struct tw_rule *rules;
	size_t n, room;
	bool live; /* it reads what it has itself just written */
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

/* "line 3: what is wrong", where it was read: of a whole rule at its end, of twins at the end. */
typedef void (*tw_rules_fault)(void *arg, const char *text);

/* fault may be NULL. -EFBIG, -ENOMEM. */
int tw_rules_read(const char *text, size_t n, tw_rules_fault fault, void *arg,
	struct tw_rules **ret, struct error *e);
void tw_rules_destroy(struct tw_rules *r);
DEFINE_CLEANUP(struct tw_rules, tw_rules_destroy);

/* run.c: a configuration of rules makes tiles of tiles. */
struct tw_auto_tile {
	uint8_t index, flags;
};

/* Row by row. */
struct tw_auto_grid {
	uint32_t w, h;
	struct tw_auto_tile *tiles;
};

enum { TW_REFERENCE_WHOLE = -1 };

/* Of the game layer what the first run reads instead of the layer: tiles of one index, or
 * TW_REFERENCE_WHOLE. */
struct tw_auto_reference {
	const struct tw_auto_grid *game;
	int only;
};

/* How many tiles tw_rules_run looks at in a layer of that size, at most. */
uint64_t tw_rules_work(const struct tw_rules_config *config, uint32_t w, uint32_t h);

/* reference may be NULL. -ENOMEM. */
int tw_rules_run(const struct tw_rules_config *config, uint32_t seed,
	const struct tw_auto_reference *reference, const struct tw_auto_grid *layer);
