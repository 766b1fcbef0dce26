/* SPDX-License-Identifier: Zlib */
/* run: a configuration of rules makes tiles of tiles. */
#pragma once

#include "formats/teeworlds/automap/rules.h"

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

/* reference may be NULL. -ENOMEM. */
int tw_rules_run(const struct tw_rules_config *config, uint32_t seed,
	const struct tw_auto_reference *reference, const struct tw_auto_grid *layer);
