/* SPDX-License-Identifier: Zlib */
/* layer: read and write the files of a tile layer (docs/teeworlds.md). */
#pragma once

#include <limits.h>

#include "tools/automap/automap.h"
#include "tools/teeworlds/automap/rules.h"

/* draw.c: chooses the layers to draw, and the rules for each. */
extern const struct automap_tool tw_automap;

struct tw_auto_layer {
	bool tiles, design, game; /* it has tiles; it is a design layer; it is the game layer */
	uint32_t w, h;
	char image[NAME_MAX + 1];    /* name of its image, without number and ending; or "" */
	int32_t config, seed, flags; /* of the automapper; config -1: none */
};

enum { TW_AUTO_ALWAYS = 1 /* in flags: drawn again whenever it changes */ };

/* Read layer.json. Absent fields get 0, config -1. -ENOENT. */
int tw_auto_layer_read(
	const struct automap_files *f, const char *dir, struct tw_auto_layer *ret, struct error *e);

/* Read id.csv and flags.csv of a directory. A tele, speedup or tune layer has no flags.csv. The
 * caller frees ret->tiles, NULL after a failure. */
int tw_auto_grid_read(const struct automap_files *f, const char *dir, const struct tw_auto_layer *l,
	struct tw_auto_grid *ret, struct error *e);
/* Write id.csv and flags.csv, each only if it differs between `was` and `is`, of one size. */
int tw_auto_grid_write(const struct automap_files *f, const char *dir,
	const struct tw_auto_grid *was, const struct tw_auto_grid *is, struct error *e);
