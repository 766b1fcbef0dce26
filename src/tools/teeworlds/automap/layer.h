/* SPDX-License-Identifier: Zlib */
/* layer: a tile layer as its files say it (docs/teeworlds.md), for drawing. */
#pragma once

#include <limits.h>

#include "tools/automap/automap.h"
#include "tools/teeworlds/automap/rules.h"

/* draw.c: which layers of a map are drawn, and by what. */
extern const struct automap_tool tw_automap;

struct tw_auto_layer {
	bool tiles, design, game;
	uint32_t w, h;
	char image[NAME_MAX + 1]; /* its name, or "" */
	int32_t config, seed, flags;
};

enum { TW_AUTO_ALWAYS = 1 /* in flags: drawn anew whenever it changes */ };

/* layer.json in that directory. -ENOENT: there is none. */
int tw_auto_layer_read(
	const struct automap_files *f, const char *dir, struct tw_auto_layer *ret, struct error *e);

/* Its tables, id.csv and flags.csv. The caller frees ret->tiles; NULL after a failure. */
int tw_auto_grid_read(const struct automap_files *f, const char *dir, const struct tw_auto_layer *l,
	struct tw_auto_grid *ret, struct error *e);
/* Those of them that differ from what they were. */
int tw_auto_grid_write(const struct automap_files *f, const char *dir,
	const struct tw_auto_grid *was, const struct tw_auto_grid *is, struct error *e);
