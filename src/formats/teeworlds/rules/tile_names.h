/* SPDX-License-Identifier: Zlib */
/* tile_names: the tiles that DDNet plays with. */
#pragma once

#include "formats/teeworlds/rules/physics.h"

/* What a tile is in a layer, in a few words; NULL: no DDNet knows it there. */
const char *tw_tile_name(enum tw_played layer, unsigned id);
